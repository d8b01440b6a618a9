// SPDX-License-Identifier: Apache-2.0
//
// The quick way through a number in text: eight digits at a time, and no other number than one of
// at most 19 digits without an exponent. What it leaves is parse_number's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tally::io {

// magnitude * 10^-scale, with a sign.
struct scanned_number {
  enum class kind : std::uint8_t { integer, decimal, other } what = kind::other;
  bool negative = false;
  std::uint8_t scale = 0;  // of a decimal
  std::uint64_t magnitude = 0;
};

namespace swar {

inline constexpr int most_digits = 19;  // of which any fit 64 bits

inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

inline std::uint64_t load_eight(char const* p) {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}

// How many bytes from the front on are digits, of eight that '0' has been taken from.
inline unsigned digits_in_front(std::uint64_t x) {
  // Adding 118 carries what is above 9 into the byte's highest bit.
  auto const others = (((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080;
  return others ? unsigned(__builtin_ctzll(others)) / 8 : 8;
}

inline constexpr std::uint64_t powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

// Digits become pairs, these fours, these eight.
inline std::uint64_t value_of_eight(std::uint64_t x) {
  x = x * 2561 >> 8;
  x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  return (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

// Takes the digits at p into `value`, which wraps beyond most_digits of them.
inline char const* take_digits(char const* p, char const* end, std::uint64_t& value) {
  while (end - p >= 8) {
    auto const x = load_eight(p) ^ 0x3030303030303030;
    auto const n = digits_in_front(x);
    if (n == 0) return p;
    value = value * powers_of_ten[n] + value_of_eight(x << (64 - 8 * n));
    p += n;
    if (n < 8) return p;
  }
  for (; p != end && is_digit(*p); ++p) value = value * 10 + std::uint64_t(*p - '0');
  return p;
}

}  // namespace swar

// Reads the number at `begin` in [begin, end); returns where it ends. `other`: there is none, or
// one to be looked at with more care; where it ends is open then.
inline char const* scan_number(char const* begin, char const* end, scanned_number& out) {
  auto p = begin;
  bool negative = false;
  if (p != end) {  // without a branch on the sign, which nothing predicts
    negative = *p == '-';
    p += negative | (*p == '+');
  }
  std::uint64_t magnitude = 0;
  auto const whole = p;
  p = swar::take_digits(p, end, magnitude);
  auto digits = p - whole;
  bool const point = p != end && *p == '.';
  std::ptrdiff_t scale = 0;
  if (point) {
    auto const fraction = ++p;
    p = swar::take_digits(p, end, magnitude);
    scale = p - fraction;
    digits += scale;
  }
  bool const is_quick = digits > 0 && digits <= swar::most_digits;
  bool const power = p != end && (*p | 32) == 'e';
  out.what = !is_quick || power ? scanned_number::kind::other
             : point            ? scanned_number::kind::decimal
                                : scanned_number::kind::integer;
  out.negative = negative;
  out.scale = std::uint8_t(scale);
  out.magnitude = magnitude;
  return p;
}

}  // namespace tally::io
