// SPDX-License-Identifier: Apache-2.0
//
// Arrays that fill a bound of the exact sums: all that has to be kept apart is as large, and as far
// apart, as it may be, and then all is taken away again but the last bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tally/exact/float_format.hpp"

namespace support {

// significand * 2^exponent, which is a T.
template <class T>
T value(std::uint64_t significand, int exponent) {
  return tally::convert<T>(std::ldexp(double(significand), exponent));
}
template <class T>
T minus(T x) {
  return tally::from_bits<T>(tally::bits_of<T>(tally::to_bits(x) ^ tally::format<T>::sign));
}

// The elements of a tile lie below 2^top. The first is as large as that allows, the others lie
// `middle` binades below it (0: they are like the first), with all bits set, and one, the odd one,
// lies `depth` binades below the first: its significand is 2^(precision - 1) + fraction.
struct full_window {
  int top, depth, middle = 0;
  std::uint64_t fraction = 1;
  int size = 512;       // of a tile
  int lead = 0;         // the tile before this one lies so many binades below,
  int before = absent;  // and spans so many
  bool negative = false;
  int more = 0;  // tiles like it but for the odd element, which come first

  static constexpr int absent = -1;

  template <class T>
  static constexpr int precision = tally::format<T>::precision;
  template <class T>
  static constexpr std::uint64_t full = (std::uint64_t(1) << precision<T>)-1;

  template <class T>
  T odd() const {
    T const x =
        value<T>((std::uint64_t(1) << (precision<T> - 1)) | fraction, top - precision<T> - depth);
    return negative ? minus(x) : x;
  }
  // Whether the type has such elements.
  template <class T>
  bool exists() const {
    int const lowest = before < 0 ? 0 : top - lead - 1 - before;
    return std::min(top - precision<T> - depth, lowest) >= tally::format<T>::lowest &&
           std::max(top, top - lead) <= tally::format<T>::bias + 1;
  }
  template <class T>
  std::vector<T> tile() const {
    std::vector<T> x(std::size_t(size), value<T>(full<T>, top - precision<T> - middle));
    x[0] = value<T>(full<T>, top - precision<T>);
    if (negative)
      for (T& e : x) e = minus(e);
    x[std::size_t(size) * 5 / 7] = odd<T>();
    return x;
  }
  // With what comes before, and what takes all away again but the odd element.
  template <class T>
  std::vector<T> array() const {
    std::vector<T> x(std::size_t(before < 0 ? 0 : size));
    if (before >= 0) x[3] = value<T>(1, top - lead - 1);
    if (before > 0) x[7] = value<T>(1, top - lead - 1 - before);
    auto added = tile<T>();
    T const odd_one = std::exchange(added[std::size_t(size) * 5 / 7], T{});
    for (int i = 0; i <= more; ++i) x.insert(x.end(), added.begin(), added.end());
    x[x.size() - std::size_t(size) + std::size_t(size) * 5 / 7] = odd_one;
    auto const odd_at = x.size() - std::size_t(size) + std::size_t(size) * 5 / 7;
    for (std::size_t i = 0, n = x.size(); i < n; ++i) {
      std::size_t const from = (i + n - std::size_t(size)) % n;  // the tile itself first
      x.push_back(from == odd_at || tally::to_bits(x[from]) == 0 ? T{} : minus(x[from]));
    }
    return x;
  }
};

}  // namespace support
