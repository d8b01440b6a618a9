// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/threads.hpp"

#include <algorithm>
#include <string>

#include "tally/cpu/float_environment.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/error.hpp"

#ifdef TALLY_WITH_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#else
#include <sched.h>

#include <thread>

#include "thread_pool.hpp"
#endif

namespace tally::detail {
namespace {

int cores() {
#ifdef TALLY_WITH_TBB
  static int const found = oneapi::tbb::info::default_concurrency();  // TBB, too, asks once
#else
  static int const found = [] {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0
               ? CPU_COUNT(&mine)
               : int(std::max(1u, std::thread::hardware_concurrency()));
  }();
#endif
  return found;
}

// More would only cost: no answer depends on it.
int max_threads() { return std::max(64, 2 * cores()); }

void run_one(void (*run)(void*, std::size_t), void* context, std::size_t i) {
  float_environment const standard;
  run(context, i);
}

}  // namespace

int thread_count(cpu where) {
  if (where.threads < 0)
    throw error("cpu: threads = " + std::to_string(where.threads) + " is negative");
  return where.threads ? std::min(where.threads, max_threads()) : cores();
}

void run_parallel(int threads, std::size_t tasks, void (*run)(void*, std::size_t), void* context) {
  threads = int(std::min<std::size_t>(std::size_t(threads), tasks));
  if (threads <= 1) {
    for (std::size_t i = 0; i < tasks; ++i) run_one(run, context, i);
    return;
  }
  count_path(path::parts, tasks);
#ifdef TALLY_WITH_TBB
  if (threads > cores()) {
    // TBB has to be told of more threads than cores, once for all calls, or it complains on
    // standard error. Never destroyed: calls may outlive main.
    [[gnu::used]] static auto const* more = new oneapi::tbb::global_control(
        oneapi::tbb::global_control::max_allowed_parallelism, std::size_t(max_threads()));
  }
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] {
    oneapi::tbb::parallel_for(
        std::size_t(0), tasks, [&](std::size_t i) { run_one(run, context, i); },
        oneapi::tbb::simple_partitioner{});
  });
#else
  struct guarded {
    void (*run)(void*, std::size_t);
    void* context;
  } all{run, context};
  thread_pool::shared().run(
      threads, tasks,
      [](void* at, std::size_t i) {
        auto const& each = *static_cast<guarded const*>(at);
        run_one(each.run, each.context, i);
      },
      &all);
#endif
}

void run_rows(cpu where, std::uint64_t count, void (*run)(void*, cpu, std::uint64_t, std::uint64_t),
              void* context) {
  auto const threads = std::uint64_t(thread_count(where));
  if (count < threads) return with_standard_arithmetic([&] { run(context, where, 0, count); });
  // So many times that a slow thread does not hold up the others.
  std::uint64_t const some = count / (64 * threads) + 1;
  parallel_for(int(threads), std::size_t((count + some - 1) / some), [&](std::size_t i) {
    run(context, cpu{1}, i * some, std::min(count, (i + 1) * some));
  });
}

}  // namespace tally::detail
