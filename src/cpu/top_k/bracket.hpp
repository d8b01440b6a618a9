// SPDX-License-Identifier: Apache-2.0
//
// From a sample: an interval of keys that almost surely holds the k-th. The idea is Floyd and
// Rivest's SELECT (1975), with the sample's order statistics as splitters.
#pragma once

#include <cmath>

#include "gather.hpp"
#include "tally/cpu/sample.hpp"

namespace tally::detail::top_k {

template <class R>
std::vector<bits_of<R>> sample_keys(ranking<R> rank, R const* in, std::size_t n,
                                    std::size_t samples) {
  std::vector<bits_of<R>> keys(samples);
  for (std::size_t i = 0; i < samples; ++i) keys[i] = rank(in[sample_position(i, samples, n)]);
  return keys;
}

// Some multiple of the root of n: work that vanishes beside one read, and splitters that tighten.
inline std::size_t sample_size(std::size_t n, std::size_t roots) {
  return std::min({std::size_t(1) << 16, n / 4, roots * std::size_t(std::sqrt(double(n)))});
}

template <class Key>
struct bracket {
  interval<Key> range;
  std::vector<Key> sample;  // sorted
};

// The interval between the order statistics of the sample five standard deviations to either side
// of the k-th key's expected rank, or, if `open`, all keys above the lower one.
template <class R>
bracket<bits_of<R>> bracket_of(ranking<R> rank, R const* in, std::size_t n, std::uint64_t k,
                               bool open) {
  auto keys = sample_keys(rank, in, n, sample_size(n, open ? 4 : 16));
  std::sort(keys.begin(), keys.end());
  double const m = double(keys.size()), mean = m * (double(k) / double(n));
  double const margin = 8 + 5 * std::sqrt(mean * (1 - mean / m));
  auto const from_best = [&](double position) { return keys[keys.size() - 1 - std::size_t(position)]; };
  interval<bits_of<R>> range = {0, ranking<R>::best};
  if (mean + margin < m) range.low = from_best(mean + margin);
  if (!open && mean - margin >= 0) range.high = from_best(mean - margin);
  return {range, std::move(keys)};
}

// The part of a sorted sample that is in `range`.
template <class Key>
std::span<Key const> within(std::vector<Key> const& sample, interval<Key> range) {
  auto const begin = std::lower_bound(sample.begin(), sample.end(), range.low);
  return {begin, std::upper_bound(begin, sample.end(), range.high)};
}

}  // namespace tally::detail::top_k
