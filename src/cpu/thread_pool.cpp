// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <pthread.h>

#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

namespace tally::detail {
namespace {

// Waits a little for there() without sleeping, since to be woken takes about as long.
template <class F>
void look_out(F const& there) {
  using clock = std::chrono::steady_clock;
  auto const end = clock::now() + std::chrono::microseconds(50);
  while (!there() && clock::now() < end) std::this_thread::yield();
}

}  // namespace

struct thread_pool::job {
  void (*run)(void*, std::size_t);
  void* context;
  std::size_t tasks;
  int wanted;                    // so many workers may still join
  std::atomic<int> working = 0;  // workers that have joined
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure = {};  // under the pool's mutex

  // Does tasks until none is left.
  void work(std::mutex& mutex) {
    try {
      for (std::size_t i; (i = next++) < tasks;) run(context, i);
    } catch (...) {
      next = tasks;
      std::lock_guard const lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
};

thread_pool& thread_pool::shared() {
  static thread_pool* pool = [] {
    // Of the threads only the one that forks is in the child, which holds the mutex there.
    pthread_atfork([] { shared().mutex_.lock(); }, [] { shared().mutex_.unlock(); },
                   [] { pool = new thread_pool; });
    return new thread_pool;
  }();
  return *pool;
}

void thread_pool::start_workers(int count) {
  try {
    for (; workers_ < count; ++workers_) std::thread([this] { work(); }).detach();
  } catch (std::system_error const&) {
    // The system gives no more: fewer do the work.
  }
}

void thread_pool::work() {
  for (;;) {
    look_out([&] { return open_.load(std::memory_order_relaxed); });
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [&] { return !jobs_.empty(); });
    job& mine = *jobs_.front();
    if (--mine.wanted == 0) close(&mine);
    ++mine.working;
    lock.unlock();
    mine.work(mutex_);
    lock.lock();
    if (--mine.working == 0) finished_.notify_all();
  }
}

void thread_pool::close(job* done) {
  jobs_.remove(done);
  open_ = !jobs_.empty();
}

void thread_pool::run(int threads, std::size_t tasks, void (*run)(void*, std::size_t),
                      void* context) {
  job mine{.run = run, .context = context, .tasks = tasks, .wanted = threads - 1};
  std::unique_lock lock(mutex_);
  start_workers(mine.wanted);
  if (mine.wanted > 0) {
    jobs_.push_back(&mine);
    open_ = true;
  }
  lock.unlock();
  for (int i = 1; i < threads; ++i) posted_.notify_one();
  mine.work(mutex_);
  lock.lock();
  close(&mine);
  lock.unlock();
  look_out([&] { return mine.working == 0; });
  lock.lock();
  finished_.wait(lock, [&] { return mine.working == 0; });
  if (mine.failure) std::rethrow_exception(mine.failure);
}

int thread_pool::workers() {
  std::lock_guard const lock(mutex_);
  return workers_;
}

}  // namespace tally::detail
