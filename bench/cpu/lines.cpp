// SPDX-License-Identifier: Apache-2.0
//
// The machine's own lines, for bench.py: how long one read, or one copy, of a buffer takes.
#include "cpu/memory_passes.hpp"

#include <algorithm>
#include <chrono>

namespace {

template <class F>
double shortest(int ways, F&& run) {
  using clock = std::chrono::steady_clock;
  auto best = clock::duration::max();
  for (int way = 0; way < ways; ++way) {
    auto const begin = clock::now();
    run(way);
    best = std::min(best, clock::now() - begin);
  }
  return std::chrono::duration<double>(best).count();
}

}  // namespace

extern "C" {

double bench_read(std::byte const* from, std::size_t bytes, int threads) {
  return shortest(tally::detail::read_ways,
                  [&](int way) { tally::detail::read_once(way, threads, from, bytes); });
}

double bench_copy(std::byte const* from, std::byte* to, std::size_t bytes, int threads) {
  return shortest(tally::detail::copy_ways,
                  [&](int way) { tally::detail::copy_once(way, threads, from, to, bytes); });
}
}
