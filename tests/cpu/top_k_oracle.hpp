// SPDX-License-Identifier: Apache-2.0
//
// A top-k by a stable sort of everything, and a comparison with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tally/exact/float_format.hpp"
#include "tally/top_k.hpp"

namespace tally::top_k_oracle {

// The order of the contract, spelled out with the types' own comparisons.
template <class T>
bool less(T a, T b) {
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  if constexpr (floating<T>)
    return double(a) < double(b);
  else
    return a < b;
}
template <class T>
bool better(T a, T b, order o) {
  return o == largest ? less(b, a) : less(a, b);
}

// The indices of all elements that count, best first, by a stable sort; in distinct mode, the first
// of each group of equals.
template <class T>
std::vector<std::int64_t> ranked(std::span<T const> in, top_k_options options) {
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (options.nan == propagate || !is_nan(in[i])) at.push_back(std::int64_t(i));
  auto const before = [&](std::int64_t i, std::int64_t j) {
    return better(in[std::size_t(i)], in[std::size_t(j)], options.order);
  };
  if (!options.distinct) {
    std::stable_sort(at.begin(), at.end(), before);
    return at;
  }
  auto const value_before = [&](T a, T b) { return better(a, b, options.order); };
  std::map<T, std::int64_t, decltype(value_before)> first(value_before);
  for (std::int64_t i : at) first.emplace(in[std::size_t(i)], i);
  at.clear();
  for (auto const& [value, i] : first) at.push_back(i);
  return at;
}

template <class T>
void expect_best(std::span<T const> in, std::vector<std::int64_t> best, std::uint64_t k,
                 top_k_options options, top_k_result<T> const& got, std::string const& what) {
  best.resize(std::min<std::uint64_t>(best.size(), k));
  if (!options.sorted) std::sort(best.begin(), best.end());
  ASSERT_EQ(got.indices, best) << what;
  ASSERT_EQ(got.values.size(), best.size()) << what;
  for (std::size_t i = 0; i < best.size(); ++i)
    ASSERT_EQ(bits_of<T>(to_bits(got.values[i])), to_bits(in[std::size_t(best[i])])) << what;
}

}  // namespace tally::top_k_oracle
