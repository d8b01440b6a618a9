// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for work, for builds without oneTBB. Calls from several threads share them,
// each call's own thread works, too, and so a task may itself make calls. A child process starts
// with none, and gets its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

namespace tally::detail {

class thread_pool {
 public:
  // This process's. It is never destroyed: calls may outlive main.
  static thread_pool& shared();

  // Calls run(context, i) for every i in [0, tasks) on at most `threads` threads, the caller's
  // among them. Of exceptions the first is rethrown; tasks that had not begun then are left out.
  void run(int threads, std::size_t tasks, void (*run)(void*, std::size_t), void* context);

  int workers();  // that have been started

 private:
  struct job;

  void start_workers(int count);
  void work();
  void close(job* done);  // nobody joins it any more

  std::mutex mutex_;
  std::condition_variable posted_, finished_;
  std::list<job*> jobs_;            // some threads may still join these
  std::atomic<bool> open_ = false;  // whether there are any
  int workers_ = 0;
};

}  // namespace tally::detail
