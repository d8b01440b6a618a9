// SPDX-License-Identifier: Apache-2.0
//
// Rows that are long enough for a search by one read, of many distributions.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tally/types.hpp"

namespace support {

template <class T>
std::vector<T> random_bits(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) x = tally::from_bits<T>(tally::bits_of<T>(random()));
  return out;
}

template <class T>
std::vector<T> few_values(std::size_t n, unsigned kinds, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) x = T(double(random() % kinds));
  return out;
}

// No NaN in any of them.
template <class T>
std::vector<std::pair<std::string, std::vector<T>>> long_rows(std::size_t n) {
  auto bits = random_bits<T>(n, 1);
  if constexpr (tally::floating<T>)
    for (auto& x : bits)
      if (tally::is_nan(x)) x = T(0.0);
  auto rising = bits, falling = bits;
  auto const less = [](T a, T b) {
    if constexpr (tally::floating<T>)
      return double(a) < double(b);
    else
      return a < b;
  };
  std::ranges::sort(rising, less);
  falling.assign(rising.rbegin(), rising.rend());
  return {{"any bits", bits},
          {"rising", rising},
          {"falling", falling},
          {"equal", few_values<T>(n, 1, 2)},
          {"two values", few_values<T>(n, 2, 3)},
          {"seven values", few_values<T>(n, 7, 4)}};
}

// A NaN of any sign and payload, and zeros of either sign, among a hundred values.
template <class T>
std::vector<T> with_nans(std::size_t n) {
  auto out = few_values<T>(n, 100, 8);
  if constexpr (tally::floating<T>) {
    using bits = tally::bits_of<T>;
    for (std::size_t i = 0; i < n; i += 5) {
      bits const nan = bits(tally::format<T>::infinity + 1 + i % 60);
      bits const sign = i % 2 ? tally::format<T>::sign : bits(0);
      out[i] = tally::from_bits<T>(bits(sign | (i % 3 ? nan : bits(0))));
    }
  }
  return out;
}

}  // namespace support
