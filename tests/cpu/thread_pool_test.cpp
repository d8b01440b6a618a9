// SPDX-License-Identifier: Apache-2.0
#include "cpu/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using tally::detail::thread_pool;

template <class F>
void run(thread_pool& pool, int threads, std::size_t tasks, F f) {
  pool.run(threads, tasks, [](void* at, std::size_t i) { (*static_cast<F*>(at))(i); }, &f);
}

// How often each task has run.
template <class F>
std::vector<int> counts(thread_pool& pool, int threads, std::size_t tasks, F also) {
  std::vector<std::atomic<int>> times(tasks);
  run(pool, threads, tasks, [&](std::size_t i) {
    ++times[i];
    also(i);
  });
  return {times.begin(), times.end()};
}
void nothing(std::size_t) {}

TEST(thread_pool, does_each_task_once) {
  thread_pool& pool = *new thread_pool;  // its workers wait for ever
  for (std::size_t const tasks : {0, 1, 2, 7, 1000})
    for (int const threads : {1, 2, 5})
      EXPECT_EQ(counts(pool, threads, tasks, nothing), std::vector<int>(tasks, 1));
  EXPECT_EQ(pool.workers(), 4);
}

TEST(thread_pool, runs_on_as_many_threads_as_are_asked_for) {
  thread_pool& pool = *new thread_pool;
  std::atomic<int> here = 0;
  run(pool, 3, 3, [&](std::size_t) {
    ++here;
    while (here < 3) std::this_thread::yield();
  });
  EXPECT_EQ(here, 3);
}

TEST(thread_pool, tasks_may_make_calls) {
  thread_pool& pool = *new thread_pool;
  std::atomic<int> sum = 0;
  run(pool, 3, 20, [&](std::size_t) { run(pool, 3, 20, [&](std::size_t j) { sum += int(j); }); });
  EXPECT_EQ(sum, 20 * 190);
}

TEST(thread_pool, rethrows_the_first_exception_and_goes_on) {
  thread_pool& pool = *new thread_pool;
  for (int const threads : {1, 4}) {
    EXPECT_THROW(run(pool, threads, 100,
                     [](std::size_t i) {
                       if (i == 3) throw std::runtime_error("three");
                     }),
                 std::runtime_error);
    EXPECT_EQ(counts(pool, threads, 50, nothing), std::vector<int>(50, 1));
  }
}

TEST(thread_pool, serves_many_callers) {
  thread_pool& pool = *new thread_pool;
  std::atomic<std::size_t> all = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c)
    callers.emplace_back([&] {
      for (int call = 0; call < 300; ++call) run(pool, 3, 5, [&](std::size_t i) { all += i + 1; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(all, 8 * 300 * 15);
  EXPECT_EQ(pool.workers(), 2);
}

TEST(thread_pool, is_another_in_a_child_process) {
  auto& pool = thread_pool::shared();
  EXPECT_EQ(counts(pool, 3, 10, nothing), std::vector<int>(10, 1));
  auto const child = fork();
  if (child == 0) {
    auto& own = thread_pool::shared();
    bool const fresh = own.workers() == 0;
    _exit(fresh && counts(own, 3, 10, nothing) == std::vector<int>(10, 1) && own.workers() == 2
              ? 0
              : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(counts(pool, 3, 10, nothing), std::vector<int>(10, 1));
}

}  // namespace
