// SPDX-License-Identifier: Apache-2.0
//
// What a quantile is, and how its place is given.
#pragma once

#include <cstddef>
#include <span>

#include "tally/span.hpp"
#include "tally/types.hpp"

namespace tally {

// What a quantile is that falls between two elements of the sorted array: the point of the straight
// line between them, the lower or the higher of them, the nearest (of both as near, the one whose
// index is even), or their mean. Names and meanings are NumPy's.
enum class interpolation : unsigned char { linear, lower, higher, nearest, midpoint };

// The type of a quantile: that of floating-point elements, and of integers double.
template <class T>
using quantile_of = std::conditional_t<is_one_of<T, float16, bfloat16, float>, T, double>;

// Whether a quantile of integers is one of them.
constexpr bool chooses_an_element(interpolation method) {
  return method != interpolation::linear && method != interpolation::midpoint;
}

// A place in the sorted array that no double has, as 95/100: from 0 to 1.
struct fraction {
  std::uint64_t numerator = 0, denominator = 1;

  bool operator==(fraction const&) const = default;
};

namespace detail {

// A place as the caller gave it.
struct quantile_place {
  std::uint64_t numerator;    // of a double, its bits
  std::uint64_t denominator;  // of a double, 0

  quantile_place() = default;
  quantile_place(double q) : numerator(to_bits(q)), denominator(0) {}
  quantile_place(fraction q) : numerator(q.numerator), denominator(q.denominator) {}

  TALLY_HD bool is_fraction() const { return denominator != 0; }
  TALLY_HD double as_double() const { return from_bits<double>(numerator); }
};

template <class R>
concept places_of_quantiles = contiguous<R> && is_one_of<value_of<R>, double, fraction>;

// Several, wherever they lie.
class quantile_places {
 public:
  template <places_of_quantiles R>
  quantile_places(R const& qs) {
    auto const all = span_of("quantile", "qs", qs);
    if constexpr (std::is_same_v<value_of<R>, double>)
      doubles_ = all;
    else
      fractions_ = all;
  }

  std::span<double const> doubles() const { return doubles_; }
  std::span<fraction const> fractions() const { return fractions_; }
  std::size_t size() const { return doubles_.size() + fractions_.size(); }
  quantile_place operator[](std::size_t i) const {
    return doubles_.empty() ? quantile_place(fractions_[i]) : quantile_place(doubles_[i]);
  }

 private:
  std::span<double const> doubles_;
  std::span<fraction const> fractions_;
};

}  // namespace detail
}  // namespace tally
