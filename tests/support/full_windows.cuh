// SPDX-License-Identifier: Apache-2.0
//
// Elements that fill what adders keep of them to the last bit, and how a test sees that none is
// lost.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tally/aggregate/exact_state.hpp"
#include "tally/thread_index.cuh"

namespace support {

// (1 + fraction / 2^(precision - 1)) * 2^exponent, which must be normal.
template <tally::floating T>
T element_of(bool negative, int exponent, std::uint64_t fraction) {
  using f = tally::format<T>;
  using bits = tally::bits_of<T>;
  auto const field = bits(exponent + f::bias);
  EXPECT_TRUE(field > 0 && field < f::max_field) << exponent;
  return tally::from_bits<T>(bits(bits(field << (f::precision - 1)) | bits(fraction & f::fraction) |
                                  (negative ? f::sign : bits(0))));
}

// Any fraction, another one for each `which`.
template <tally::floating T>
std::uint64_t any_fraction(unsigned which) {
  std::uint64_t x = (which + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) & tally::format<T>::fraction;
}
// Fractions of which many equal ones leave rests that add up, wherever they are cut: 01...
// and 10... for any place, all ones, none; and 01...1 for each of the last places.
template <tally::floating T>
std::uint64_t filling_fraction(unsigned which) {
  constexpr std::uint64_t known[] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa, ~std::uint64_t(0), 0};
  if (which < 4) return known[which] & tally::format<T>::fraction;
  std::uint64_t const half = std::uint64_t(1) << which % (tally::format<T>::precision - 1);
  return (any_fraction<T>(which) & ~(2 * half - 1)) | (half - 1);
}
// An odd one, also above the 26 last bits.
template <tally::floating T>
std::uint64_t odd_fraction(unsigned which) {
  return which % 2 == 0 ? 1 : (std::uint64_t(1) << (tally::format<T>::precision - 1) / 2) + 1;
}

// What the lanes of a warp are given, batch by batch, at first nothing but zeros.
template <class T>
struct batches_of_lanes {
  int size, count;
  std::vector<T> x;
  batches_of_lanes(int size, int count)
      : size(size), count(count), x(std::size_t(size * count * tally::warp_size)) {}
  T& at(int lane, int batch, int k) { return x[(batch * tally::warp_size + lane) * size + k]; }
};

// full_window(depth): all of a lane's elements are equal and of one sign, but for an odd one that
// is `depth` binades below, each lane's in a batch of its own. The first `early` batches lie
// `drift` binades below those after them.
template <tally::floating T>
batches_of_lanes<T> full_window(int size, int count, int top, int depth, int drift = 0,
                                int early = 1) {
  batches_of_lanes<T> in(size, count);
  for (int lane = 0; lane < tally::warp_size; ++lane) {
    bool const negative = lane / 2 % 2;
    for (int b = 0; b < count; ++b)
      for (int k = 0; k < size; ++k)
        in.at(lane, b, k) = element_of<T>(negative, b < early ? top - drift : top,
                                          filling_fraction<T>(unsigned(lane)));
    in.at(lane, lane % count, lane % size) =
        element_of<T>(lane / 4 % 2, top - depth, odd_fraction<T>(unsigned(lane)));
  }
  return in;
}

// How many of its values were not finite, in the order of device::special.
template <class T>
std::vector<std::int64_t> counts_of(tally::exact_state<T> const& s) {
  return {std::int64_t(s.nan), std::int64_t(s.positive_infinity),
          std::int64_t(s.negative_infinity)};
}

// That digits are those of the number `want`.
template <class Number>
void expect_number(std::vector<std::int64_t> const& digits, Number want, std::string const& what) {
  Number got;
  for (int i = 0; i < Number::digits; ++i) got.digit[i] = digits[i];
  got.carry();
  want.carry();
  for (int i = 0; i < Number::digits; ++i)
    ASSERT_EQ(got.digit[i], want.digit[i]) << "digit " << i << ", " << what;
}

}  // namespace support
