// SPDX-License-Identifier: Apache-2.0
//
// An array as ranks share it out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tally/distributed.hpp"
#include "tally/run_ranks.hpp"

namespace support {

// Where slices of n elements begin, and the last one ends: anywhere, so that some are empty.
inline std::vector<std::size_t> random_slices(std::size_t n, int ranks, unsigned seed) {
  std::mt19937_64 random(seed + n * 31 + unsigned(ranks));
  std::vector<std::size_t> ends(std::size_t(ranks) + 1);
  for (auto& at : ends) at = random() % 3 == 0 ? n / 2 : random() % (n + 1);
  ends.front() = 0, ends.back() = n;
  std::ranges::sort(ends);
  return ends;
}

// This rank's.
template <class T>
std::span<T> slice_of(tally::communicator& ranks, std::span<T> x, unsigned seed = 0) {
  auto const ends = random_slices(x.size(), ranks.size(), seed);
  auto const r = std::size_t(ranks.rank());
  return x.subspan(ends[r], ends[r + 1] - ends[r]);
}

}  // namespace support
