// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tally/interpolation.hpp"
#include "tally/io/decimal_sum.hpp"

namespace tally::io {

// The exact sum of products of two numbers in decimal, up to 2^62 of them.
class decimal_products {
 public:
  // a * b * 10^-scale, where the scale is that of both together.
  void add(bool negative, std::uint64_t a, std::uint64_t b, unsigned scale) {
    auto const product = static_cast<unsigned __int128>(a) * b;
    __int128 const low = std::uint64_t(product), high = std::uint64_t(product >> 64);
    low_[scale] += negative ? -low : low, high_[scale] += negative ? -high : high;
  }
  void add(decimal_sum const& product) { others_.add(product); }

  decimal_sum sum() const;

 private:
  // By scale: high * 2^64 + low.
  std::array<__int128, 2 * decimal_sum::most_scale + 1> low_{}, high_{};
  decimal_sum others_;
};

// Numbers as a text has them, each exactly, and where one is missing.
class decimals {
 public:
  // As decimal_sum::add.
  void add(bool negative, std::uint64_t magnitude, unsigned scale) {
    all_.push_back({magnitude, kind::number, negative, std::uint8_t(scale)});
  }
  parsed add(std::string_view text);
  void add_missing() { all_.push_back({0, kind::missing, false, 0}); }
  void append(decimals const& other, std::size_t i);
  void clear() { all_.clear(), others_.clear(); }

  std::size_t size() const { return all_.size(); }
  bool is_missing(std::size_t i) const { return all_[i].what == kind::missing; }

  // For a number that is not missing.
  void add_to(decimal_sum& sum, std::size_t i, bool negated = false) const;
  static void add_product_to(decimal_products& sum, decimals const& a, std::size_t i,
                             decimals const& b, std::size_t j);
  decimal_sum value(std::size_t i) const;
  // An integer over 10^places, without zeros at its end.
  struct integer {
    bool negative;
    std::string digits;
    std::int64_t places;
  };
  integer parts(std::size_t i) const;
  // Less than 0, 0 or more than 0 as one is less than another, equal or greater.
  static int compare(decimals const& a, std::size_t i, decimals const& b, std::size_t j) {
    return compare(a, a.all_[i], b, b.all_[j]);
  }
  // As tally::quantile, of one or more, of which none is missing: in full if it is one of them,
  // else as decimal_sum::quotient. Changes their order.
  std::string quantile(fraction q, interpolation method);

 private:
  enum class kind : std::uint8_t { number, other, missing };
  struct entry {
    std::uint64_t magnitude;  // of what is another kind of number, its place in others_
    kind what;
    bool negative;
    std::uint8_t scale;
  };
  // 0.DIGITS * 10^exponent, without zeros at either end of the digits; of zero there are none.
  struct wide {
    std::string digits;
    std::int64_t exponent;
  };

  wide wide_of(entry const& x) const;
  static int compare(decimals const& a, entry const& x, decimals const& b, entry const& y);
  decimal_sum kth(std::uint64_t k);

  std::vector<entry> all_;
  std::vector<wide> others_;
};

}  // namespace tally::io
