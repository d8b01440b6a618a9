// SPDX-License-Identifier: Apache-2.0
//
// All threading goes through this file and its source.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Calls run(context, cores, begin, end) for rows [begin, end) of all `count`, under that
// environment, too: some neighbours to a thread at a time, or all threads to all rows where there
// are fewer rows than threads.
void run_rows(cpu where, std::uint64_t count, void (*run)(void*, cpu, std::uint64_t, std::uint64_t),
              void* context);

// n elements in a few pieces a thread, so that a slow core does not hold up the others, or in one.
// They end at multiples of 512 elements.
class array_pieces {
  std::uint64_t n_, step_;

 public:
  std::uint64_t count;

  array_pieces(int threads, std::uint64_t n, bool alone) : n_(n) {
    std::uint64_t const few = std::uint64_t(threads) * 4, most = n / 16384;
    count = alone ? 1 : few < most ? few : most;
    step_ = (n / count + 511) / 512 * 512;
  }
  // Where piece i begins, and the one before it ends.
  std::uint64_t begin(std::uint64_t i) const {
    return i == count || i * step_ > n_ ? n_ : i * step_;
  }
};

// Calls body() on this thread under that default environment, for arithmetic outside
// parallel_for().
template <class F>
void with_standard_arithmetic(F&& body) {
  parallel_for(1, 1, [&](std::size_t) { body(); });
}

}  // namespace tally::detail
