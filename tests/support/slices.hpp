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

// Where slices begin, and the last one ends.
using cuts = std::vector<std::size_t>;

// Anywhere, so that some slices are empty.
inline cuts any_cuts(std::size_t n, int ranks, std::mt19937_64& random) {
  cuts at{0, n};
  for (int r = 1; r < ranks; ++r) at.push_back(random() % 3 ? random() % (n + 1) : n / 2);
  std::ranges::sort(at);
  return at;
}
inline cuts random_slices(std::size_t n, int ranks, unsigned seed) {
  std::mt19937_64 random(seed + n * 31 + unsigned(ranks));
  return any_cuts(n, ranks, random);
}

template <class T>
std::span<T> slice_of(std::span<T> all, cuts const& at, int rank) {
  auto const r = std::size_t(rank);
  return all.subspan(at[r], at[r + 1] - at[r]);
}
// This rank's, of slices that begin anywhere.
template <class T>
std::span<T> slice_of(tally::communicator& ranks, std::span<T> x, unsigned seed = 0) {
  return slice_of(x, random_slices(x.size(), ranks.size(), seed), ranks.rank());
}

// Calls f(ranks, the slice) on as many ranks as there are slices.
template <class T, class F>
void on_slices(std::span<T> all, cuts const& at, F const& f) {
  tally::run_ranks(int(at.size()) - 1,
                   [&](tally::communicator& ranks) { f(ranks, slice_of(all, at, ranks.rank())); });
}

}  // namespace support
