// SPDX-License-Identifier: Apache-2.0
//
// Arrays in slices for ranks, any cuts, some slices empty.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "tally/run_ranks.hpp"

namespace tally::slices {

using cuts = std::vector<std::size_t>;

inline cuts any_cuts(std::size_t n, int ranks, std::mt19937_64& random) {
  cuts at{0, n};
  for (int r = 1; r < ranks; ++r) at.push_back(random() % 4 ? random() % (n + 1) : n / 2);
  std::ranges::sort(at);
  return at;
}

template <class T>
std::span<T> slice_of(std::span<T> all, cuts const& at, int rank) {
  auto const r = std::size_t(rank);
  return all.subspan(at[r], at[r + 1] - at[r]);
}

// Calls f(ranks, the slice) on as many ranks as there are slices.
template <class T, class F>
void on_slices(std::span<T> all, cuts const& at, F const& f) {
  run_ranks(int(at.size()) - 1,
            [&](communicator& ranks) { f(ranks, slice_of(all, at, ranks.rank())); });
}

}  // namespace tally::slices
