// SPDX-License-Identifier: Apache-2.0
//
// All threading goes through this file and its source.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/where.hpp"

namespace tally::detail {

// The threads that `where` stands for, at most 64 or twice the cores, whichever is more; throws
// tally::error for a negative number.
int thread_count(cpu where);

// Calls run(context, i) for every i in [0, tasks), on at most `threads` threads, the caller's among
// them, each under the default floating-point environment (round to nearest, subnormals kept).
// Returns when all are done; the first exception is rethrown.
void run_parallel(int threads, std::size_t tasks, void (*run)(void*, std::size_t), void* context);

template <class F>
void parallel_for(int threads, std::size_t tasks, F&& body) {
  using function = std::remove_reference_t<F>;
  run_parallel(
      threads, tasks, [](void* f, std::size_t i) { (*static_cast<function*>(f))(i); },
      const_cast<void*>(static_cast<void const*>(__builtin_addressof(body))));
}

// Calls body() on this thread under that default environment, for arithmetic outside
// parallel_for().
template <class F>
void with_standard_arithmetic(F&& body) {
  parallel_for(1, 1, [&](std::size_t) { body(); });
}

}  // namespace tally::detail
