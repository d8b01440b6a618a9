// SPDX-License-Identifier: Apache-2.0
//
// Elements that fill what adders keep of them to the last bit, and how a test sees that none is
// lost.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tally/cuda/thread_index.cuh"
#include "tally/exact/exact_state.hpp"

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

// Exponents that move by a binade in some batches, in each lane at another speed, up or down.
template <tally::floating T>
batches_of_lanes<T> moving_elements(int size, unsigned seed) {
  constexpr int width = std::is_same_v<T, tally::float16> ? 10 : 40;
  batches_of_lanes<T> in(size, 66);
  for (unsigned i = 0; i < in.x.size(); ++i) {
    int const lane = int(i) / size % tally::warp_size, batch = int(i) / size / tally::warp_size;
    unsigned const h = unsigned(any_fraction<double>(i + 1000003 * seed) >> 7);
    int const deep = h % 61 == 0 ? int(h >> 8) % width : int(h >> 8) % 3;
    int const exponent = 5 + (batch - 33) * (lane - 16) / (width == 10 ? 66 : 16) - deep;
    in.x[i] = element_of<T>(h & 64, exponent, any_fraction<T>(i));
  }
  return in;
}

// Elements of one exponent beside the last bit of all, which three lanes have in one place each: of
// three lanes where others have zeros, then of all lanes.
template <tally::floating T>
batches_of_lanes<T> elements_beside_the_last_bit(int size, int exponent) {
  batches_of_lanes<T> in(size, 4);
  for (int b = 0; b < in.count; ++b)
    for (int lane = 0; lane < (b < 2 ? 3 : tally::warp_size); ++lane)
      for (int k = 0; k < size; ++k)
        in.at(lane, b, k) = element_of<T>(lane == 2, exponent, any_fraction<T>(unsigned(k)));
  for (int lane : {0, 2, 9}) in.at(lane, lane % 4, 3) = tally::from_bits<T>(tally::bits_of<T>(1));
  return in;
}

// As many elements of a lane as fill a digit of 32 bits by pieces of 16, and some more, all bits of
// which are set; and in half of the lanes one of each batch is so small that they have nothing in
// common.
template <tally::floating T>
batches_of_lanes<T> full_columns(int size, bool negative = false) {
  constexpr int exponent = 16 - tally::format<T>::bias % 16, least = 1 - tally::format<T>::bias;
  T const full = element_of<T>(negative, exponent, ~std::uint64_t(0));
  batches_of_lanes<T> in(size, 40'000 / size);
  for (T& x : in.x) x = full;
  for (int b = 0; b < in.count; ++b)
    for (int lane = 0; lane < tally::warp_size; lane += 2)
      in.at(lane, b, 0) = element_of<T>(false, least, 0);
  return in;
}

// As full_window, with the last bit of all as the odd elements.
template <tally::floating T>
batches_of_lanes<T> full_window_above_the_smallest(int size, int count, int depth) {
  using f = tally::format<T>;
  auto in = full_window<T>(size, count, 1 - f::bias + depth, depth);
  for (T& x : in.x)
    if ((tally::to_bits(x) & ~f::fraction & ~f::sign) == tally::bits_of<T>(1) << (f::precision - 1))
      x = tally::from_bits<T>(tally::bits_of<T>(1));
  return in;
}

// What is not finite, in one batch of some lanes, beside the largest elements, so that nothing but
// a look at it tells.
template <tally::floating T>
batches_of_lanes<T> largest_and_not_finite(int size, int lanes, int batch) {
  T const others[] = {tally::quiet_nan<T>(), tally::infinity<T>(false), tally::infinity<T>(true)};
  auto in = full_window<T>(size, 9, tally::format<T>::bias, 0);
  for (int lane = 0; lane < lanes; ++lane)
    in.at(lane, batch, (3 * lane + batch) % size) = others[lane % 3];
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
