// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tally::bounds {

// A number wide enough for any sum, and any product of two, of doubles: what approximate values are
// compared with. Shares no code with the library's own (fixed_point.hpp).
class exact {
 public:
  exact() = default;
  explicit exact(double x, int scale = 0) { add(x, scale); }

  // Adds x * 2^scale; what is not finite counts as zero.
  void add(double x, int scale = 0);
  void add(bool negative, std::uint64_t significand, int exponent);
  void add_product(double x, double y);
  void add(exact const& other, bool negative = false);
  void subtract(exact const& other) { add(other, true); }

  // Adds a fixed_point, or takes it away.
  template <class Digits>
  void add_digits(Digits const& d, bool negative = false) {
    for (int i = 0; i < Digits::digits; ++i) {
      auto const size = d.digit[i] < 0 ? 0 - std::uint64_t(d.digit[i]) : std::uint64_t(d.digit[i]);
      add((d.digit[i] < 0) != negative, size, 32 * i + Digits::lsb);
    }
  }

  bool is_zero() const { return magnitude() == 0; }
  // Correct to 62 bits.
  long double value() const;
  long double magnitude() const { return __builtin_fabsl(value()); }
  // The exponent of the lowest bit that is set.
  int lowest() const;
  // Rounded to so many bits, to nearest, ties to even; the last one is worth 2^least or more.
  long double rounded(int precision, int least) const;
  // How far the nearest number is at which such a rounding changes.
  long double to_boundary(int precision, int least) const;

 private:
  static constexpr int lsb = -2560, limbs = 160;
  struct leading;
  // The number's absolute value in limbs of 32 bits, and how many there are.
  int absolute(std::uint32_t (&out)[limbs + 1], bool& negative) const;
  leading take_leading() const;

  std::int64_t limb_[limbs] = {};  // each the sum of a few numbers below 2^32
  int low_ = limbs, high_ = -1;    // limbs outside are zero
  int pending_ = 0;
  void carry();
};

}  // namespace tally::bounds
