// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/exact/natural.hpp"
#include "tally/serial.hpp"

namespace tally::detail {

// A wide fixed-point number, the sum of digit[i] * 2^(32 i + Lsb), kept carry-save: a deposit adds
// less than 2^32 to a digit and moves no carry, so adding two numbers is adding their digits, in
// any order and grouping. (This is the long accumulator of U. Kulisch, "Computer Arithmetic and
// Validity", 2008; the carry-save digits follow the superaccumulators of R. M. Neal,
// arXiv:1505.05571.)
template <int Digits_, int Lsb_>
struct fixed_point {
  static constexpr int digits = Digits_, lsb = Lsb_;

  std::int64_t digit[digits] = {};
  std::uint32_t pending = 0;  // deposits since the last carry: |digit| < 2^32 (pending + 1)

  // Adds significand * 2^exponent. No set bit may lie below 2^lsb.
  TALLY_FN void add(bool negative, std::uint64_t significand, int exponent) {
    int position = exponent - lsb;
    if (position < 0) significand >>= position > -63 ? -position : 63, position = 0;
    int const i = position / 32, shift = position % 32;
    std::uint64_t const low = significand << shift;
    std::uint64_t const high = shift ? significand >> (64 - shift) : 0;
    std::int64_t const flip = negative ? -1 : 0;
    digit[i] += (std::int64_t(low & 0xffffffff) ^ flip) - flip;
    digit[i + 1] += (std::int64_t(low >> 32) ^ flip) - flip;
    digit[i + 2] += (std::int64_t(high) ^ flip) - flip;
    if (++pending >= limit) carry();
  }

  // Adds a finite double.
  TALLY_FN void add(double x) {
    auto const p = take_apart(x);
    add(p.negative, p.significand, p.exponent);
  }

  TALLY_HD void add(fixed_point const& other) {
    if (pending + other.pending >= limit) carry();
    TALLY_ROLL
    for (int i = 0; i < digits; ++i) digit[i] += other.digit[i];
    pending += other.pending + 1;
  }

  // Adds a number that has neither finer digits nor larger ones.
  template <int Digits, int Lsb>
  void add(fixed_point<Digits, Lsb> other) {
    static_assert(Lsb >= lsb && 32 * Digits + Lsb <= 32 * (digits - 1) + lsb);
    other.carry();
    for (int i = 0; i < Digits; ++i) {
      std::int64_t const d = other.digit[i];
      add(d < 0, d < 0 ? 0 - std::uint64_t(d) : std::uint64_t(d), Lsb + 32 * i);
    }
  }

  // Brings all digits but the last, which is signed, into [0, 2^32): the one form of each value.
  TALLY_COLD void carry() {
    std::int64_t over = 0;
    TALLY_ROLL
    for (int i = 0; i < digits - 1; ++i) {
      TALLY_CLAIM(within("digits.room", digit[i], 0x1p62));
      std::int64_t const t = digit[i] + over;
      over = t >> 32;
      digit[i] = t & 0xffffffff;
    }
    digit[digits - 1] += over;
    pending = 0;
  }

  // The absolute value in units of 2^lsb, and the sign.
  TALLY_HD natural<digits + 1> magnitude(bool& negative) const {
    auto t = *this;
    t.carry();
    negative = t.digit[digits - 1] < 0;
    if (negative) {
      TALLY_ROLL
      for (auto& d : t.digit) d = -d;
      t.carry();
    }
    natural<digits + 1> out;
    TALLY_ROLL
    for (int i = 0; i < digits; ++i) out.limb[i] = std::uint32_t(t.digit[i]);
    out.limb[digits] = std::uint32_t(t.digit[digits - 1] >> 32);
    return out;
  }

  // The integer part modulo 2^64, for a number without a fraction (Lsb = 0).
  TALLY_HD std::uint64_t modulo_2_64() const {
    static_assert(lsb == 0);
    return std::uint64_t(digit[0]) + (std::uint64_t(digit[1]) << 32);
  }

  template <floating T>
  TALLY_HD T round() const {
    bool negative;
    auto const m = magnitude(negative);
    return round_natural<T>(negative, m, lsb);
  }

  void write(byte_writer& out) const {
    auto t = *this;
    t.carry();
    for (int i = 0; i < digits - 1; ++i) out.put(std::uint32_t(t.digit[i]));
    out.put(t.digit[digits - 1]);
  }
  static fixed_point read(byte_reader& in) {
    fixed_point out;
    TALLY_ROLL
    for (int i = 0; i < digits - 1; ++i) out.digit[i] = in.get<std::uint32_t>();
    auto const top = out.digit[digits - 1] = in.get<std::int64_t>();
    if (top > largest_top || top < -largest_top) throw error("state: a sum is out of range");
    return out;
  }

  // The same in few bytes, which say themselves what they are worth: how many digits of the
  // magnitude there are from the lowest to the highest that is not zero; and if there are some,
  // whether it is negative, the lowest one's power of two, and the digits from there on.
  void pack(byte_writer& out) const {
    bool negative;
    auto const m = magnitude(negative);
    int first = 0, end = digits + 1;
    while (end > 0 && m.limb[end - 1] == 0) --end;
    while (first < end && m.limb[first] == 0) ++first;
    out.put(std::uint8_t(end - first));
    if (first == end) return;
    out.put(negative);
    out.put(std::int16_t(lsb + 32 * first));
    for (int i = first; i < end; ++i) out.put(m.limb[i]);
  }
  static fixed_point unpack(byte_reader& in) {
    fixed_point out;
    int const count = in.get<std::uint8_t>();
    if (count == 0) return out;
    bool const negative = in.get<bool>();
    int const place = in.get<std::int16_t>() - lsb, first = place / 32;
    if (place < 0 || place % 32 != 0 || first + count > digits + 1)
      throw error("state: a sum is out of range");
    std::uint32_t limb[digits + 1] = {};
    for (int i = first; i < first + count; ++i) limb[i] = in.get<std::uint32_t>();
    if (limb[first] == 0 || limb[first + count - 1] == 0)
      throw error("state: a sum has digits that are zero");
    for (int i = 0; i < digits; ++i) out.digit[i] = limb[i];
    std::int64_t& top = out.digit[digits - 1];
    if (limb[digits] > largest_top >> 32) throw error("state: a sum is out of range");
    top += std::int64_t(limb[digits]) << 32;
    if (top > largest_top) throw error("state: a sum is out of range");
    if (negative)
      for (auto& d : out.digit) d = -d;
    out.carry();
    return out;
  }

 private:
  // The last digit of no sum of 2^63 elements is larger.
  static constexpr std::int64_t largest_top = std::int64_t(1) << 40;
  // Half of the deposits that int64 digits bear, so that two such numbers can always be added.
  static constexpr std::uint32_t limit = std::uint32_t(1) << 29;
};

// Room for the exact sum of any 2^63 values of type T.
template <element T>
using sum_digits =
    std::conditional_t<integer<T>, fixed_point<4, 0>,
                       std::conditional_t<is_one_of<T, float16>, fixed_point<5, -24>,
                                          std::conditional_t<sizeof(T) <= 4, fixed_point<12, -149>,
                                                             fixed_point<68, -1074>>>>;

// Room for the exact sum of the squares of any 2^63 such values.
template <element T>
using square_digits =
    std::conditional_t<integer<T>, fixed_point<7, 0>,
                       std::conditional_t<is_one_of<T, float16>, fixed_point<6, -48>,
                                          std::conditional_t<sizeof(T) <= 4, fixed_point<20, -298>,
                                                             fixed_point<134, -2148>>>>;

}  // namespace tally::detail
