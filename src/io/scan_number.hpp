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

// The number at `begin` in [begin, end), and where it ends. `other`: none, or one to be looked at
// with more care; where it ends is open then.
struct scanned {
  scanned_number number;
  char const* end;
};

namespace swar {

inline constexpr int most_digits = 19;  // of which any fit 64 bits

inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

inline std::uint64_t load_eight(char const* p) {
  std::uint64_t x;
  std::memcpy(&x, p, sizeof x);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}

// Adding 6 carries what is above '9' out of the low half of its byte.
inline bool are_eight_digits(std::uint64_t x) {
  return ((x & 0xf0f0f0f0f0f0f0f0) | ((x + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) ==
         0x3333333333333333;
}

// Digits become pairs, these fours, these eight.
inline std::uint64_t value_of_eight(std::uint64_t x) {
  x = (x & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  return (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
}

// Takes the digits at p into `value`, which wraps beyond most_digits of them.
inline char const* take_digits(char const* p, char const* end, std::uint64_t& value) {
  while (end - p >= 8) {
    auto const x = load_eight(p);
    if (!are_eight_digits(x)) break;
    value = value * 100000000 + value_of_eight(x);
    p += 8;
  }
  for (; p != end && is_digit(*p); ++p) value = value * 10 + std::uint64_t(*p - '0');
  return p;
}

}  // namespace swar

inline scanned scan_number(char const* begin, char const* end) {
  scanned out{{}, begin};
  auto& n = out.number;
  auto p = begin;
  if (p != end && (*p == '-' || *p == '+')) n.negative = *p++ == '-';
  auto const whole = p;
  p = swar::take_digits(p, end, n.magnitude);
  auto digits = p - whole;
  bool const point = p != end && *p == '.';
  if (point) {
    auto const fraction = ++p;
    p = swar::take_digits(p, end, n.magnitude);
    digits += p - fraction;
    n.scale = std::uint8_t(p - fraction);
  }
  out.end = p;
  if (digits == 0 || digits > swar::most_digits || (p != end && (*p | 32) == 'e')) return out;
  // Only a float has a negative zero.
  bool const zero = n.negative && n.magnitude == 0;
  n.what = point || zero ? scanned_number::kind::decimal : scanned_number::kind::integer;
  return out;
}

}  // namespace tally::io
