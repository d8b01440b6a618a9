// SPDX-License-Identifier: Apache-2.0
//
// A sample gives an interval of keys that almost surely holds the k-th. The idea is SELECT (R. W.
// Floyd and R. L. Rivest, "Expected time bounds for selection", CACM 18(3), 1975), with the
// sample's order statistics as splitters.
#pragma once

#include <cmath>

#include "gather.hpp"
#include "sample.hpp"

namespace tally::detail::top_k {

template <class R>
std::vector<bits_of<R>> sample_keys(ranking<R> rank, R const* in, std::size_t n,
                                    std::size_t samples, int threads) {
  std::vector<bits_of<R>> keys(samples);
  strata const places(n, samples);
  std::size_t const share = 4096;  // so few, because a thread waits for memory at each
  parallel_for(threads, (samples + share - 1) / share, [&](std::size_t task) {
    for (std::size_t i = task * share; i < std::min(samples, (task + 1) * share); ++i)
      keys[i] = rank(in[places.sample(i)]);
  });
  return keys;
}

template <class Key>
struct bracket {
  interval<Key> range;
  std::vector<Key> sample;
};

// A bracket is as wide as the root of its sample's size: more is taken of very many elements, so
// that of 20 GB not 1 lies in it.
inline std::uint64_t bracket_samples(std::uint64_t n) {
  return std::max(sample_size(n, 16), n >> 13);
}

// The interval between the order statistics of the sample five standard deviations to either side
// of the k-th key's expected rank, or, if `open`, all keys above the lower one.
template <class R>
bracket<bits_of<R>> bracket_of(ranking<R> rank, R const* in, std::size_t n, std::uint64_t k,
                               bool open, int threads) {
  auto keys = sample_keys(rank, in, n, open ? sample_size(n, 4) : bracket_samples(n), threads);
  double const m = double(keys.size()), mean = m * (double(k) / double(n));
  double const margin = 8 + 5 * std::sqrt(mean * (1 - mean / m));
  auto const statistic = [&](double position) {
    auto const at = keys.begin() + std::ptrdiff_t(position);
    std::nth_element(keys.begin(), at, keys.end(), std::greater<>());
    return *at;
  };
  interval<bits_of<R>> range = {0, ranking<R>::best};
  if (mean + margin < m) range.low = statistic(mean + margin);
  if (!open && mean - margin >= 0) range.high = statistic(mean - margin);
  return {range, std::move(keys)};
}

template <class Key>
std::vector<Key> within(std::vector<Key> const& keys, interval<Key> range) {
  std::vector<Key> result;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(result),
               [&](Key key) { return range.contains(key); });
  return result;
}

template <class Key>
Key median(std::vector<Key> keys) {
  auto const middle = keys.begin() + std::ptrdiff_t(keys.size() / 2);
  std::nth_element(keys.begin(), middle, keys.end());
  return *middle;
}

}  // namespace tally::detail::top_k
