// SPDX-License-Identifier: Apache-2.0
//
// Arrays to select from in a kernel, and what a stable sort puts first.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/device_cases.cuh"
#include "tally/warp/top_k.cuh"

namespace support {

// Less in the order of a top-k, said anew: NaN above everything and equal to itself.
template <class T>
bool ranks_below(T a, T b) {
  if constexpr (tally::floating<T>) {
    auto const x = double(a), y = double(b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return x < y;
  } else {
    return a < b;
  }
}

template <class First, class T>
std::vector<tally::entry<T>> first_of(std::vector<T> const& x, int k) {
  std::vector<std::uint32_t> at(x.size());
  std::iota(at.begin(), at.end(), 0u);
  std::stable_sort(at.begin(), at.end(), [&](auto i, auto j) {
    return std::is_same_v<First, tally::larger_first> ? ranks_below(x[j], x[i])
                                                      : ranks_below(x[i], x[j]);
  });
  std::vector<tally::entry<T>> best;
  for (std::size_t r = 0; r < std::min(x.size(), std::size_t(k)); ++r)
    best.push_back({x[at[r]], at[r]});
  return best;
}

template <class T>
void expect_entries(tally::entry<T> const* found, std::vector<tally::entry<T>> const& right) {
  for (std::size_t r = 0; r < right.size(); ++r) {
    ASSERT_EQ(found[r].index, right[r].index) << "at place " << r;
    ASSERT_EQ(tally::to_bits(found[r].value), tally::to_bits(right[r].value)) << "at place " << r;
  }
}

// Random, ties, all equal, rising, falling, and of floats what is special.
template <class T>
std::vector<std::vector<T>> arrays_of(int n) {
  std::mt19937 random(n);
  auto const made = [&](auto f) {
    std::vector<T> x(n);
    for (int i = 0; i < n; ++i) x[i] = f(i);
    return x;
  };
  std::vector<std::vector<T>> all{
      made([&](int) { return tally::from_bits<T>(tally::bits_of<T>(random())); }),
      made([&](int) { return T(float(random() % 5)); }), made([&](int) { return T(7.0f); }),
      made([&](int i) { return T(float(i % 100)); }),
      made([&](int i) { return T(float(i < 100 ? 100 - i : 0)); })};
  if constexpr (tally::floating<T>) {
    float const inf = std::numeric_limits<float>::infinity(), special[] = {-inf, -0.0f, 0.0f, inf};
    all.push_back(made([&](int i) {
      return i % 7 == 3 ? tally::from_bits<T>(tally::bits_of<T>(~tally::bits_of<T>(i % 2)))
                        : T(special[random() % 4]);
    }));
  }
  return all;
}

}  // namespace support
