// SPDX-License-Identifier: Apache-2.0
//
// Natural numbers of a fixed number of 32-bit limbs: what is left to compute exactly when every
// element has been read. Plain schoolbook algorithms; each runs a few times a call.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "tally/rounding.hpp"

namespace tally::detail {

template <int Limbs>
struct natural {
  std::uint32_t limb[Limbs] = {};  // least significant first

  TALLY_HD constexpr int bit_length() const {
    for (int i = Limbs - 1; i >= 0; --i)
      if (limb[i]) return 32 * i + 64 - leading_zeros(limb[i]);
    return 0;
  }
  TALLY_HD constexpr bool bit(int at) const {
    return at >= 0 && at < 32 * Limbs && (limb[at / 32] >> (at % 32) & 1);
  }
  // Whether any bit below position `end` is set.
  TALLY_HD constexpr bool any_below(int end) const {
    for (int i = 0; i < Limbs && 32 * i < end; ++i) {
      int const width = end - 32 * i < 32 ? end - 32 * i : 32;
      if (limb[i] & std::uint32_t((std::uint64_t(1) << width) - 1)) return true;
    }
    return false;
  }
  // Bits [at, at + 32 * Size), zeros where there are none; `at` may be negative.
  template <int Size>
  TALLY_HD constexpr natural<Size> slice(int at) const {
    natural<Size> out;
    int const whole = at >= 0 ? at / 32 : -((31 - at) / 32), shift = at - 32 * whole;
    auto const get = [&](int i) { return i >= 0 && i < Limbs ? std::uint64_t(limb[i]) : 0; };
    for (int i = 0; i < Size; ++i)
      out.limb[i] = std::uint32_t((get(whole + i) | get(whole + i + 1) << 32) >> shift);
    return out;
  }
};

template <int Limbs>
TALLY_HD constexpr bool operator<(natural<Limbs> const& a, natural<Limbs> const& b) {
  for (int i = Limbs - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  return false;
}

// a -= b, for b <= a.
template <int Limbs>
TALLY_HD constexpr void subtract(natural<Limbs>& a, natural<Limbs> const& b) {
  std::int64_t borrow = 0;
  for (int i = 0; i < Limbs; ++i) {
    std::int64_t const t = std::int64_t(a.limb[i]) - b.limb[i] + borrow;
    a.limb[i] = std::uint32_t(t);
    borrow = t >> 32;
  }
}

// a = 2 a + low; the top bit falls off.
template <int Limbs>
TALLY_HD constexpr void double_and_add(natural<Limbs>& a, bool low) {
  for (int i = Limbs - 1; i > 0; --i) a.limb[i] = a.limb[i] << 1 | a.limb[i - 1] >> 31;
  a.limb[0] = a.limb[0] << 1 | std::uint32_t(low);
}

template <int A, int B>
TALLY_HD constexpr natural<A + B> multiply(natural<A> const& a, natural<B> const& b) {
  natural<A + B> out;
  for (int i = 0; i < A; ++i) {
    if (a.limb[i] == 0) continue;
    std::uint64_t carry = 0;
    for (int j = 0; j < B; ++j) {
      carry += std::uint64_t(a.limb[i]) * b.limb[j] + out.limb[i + j];
      out.limb[i + j] = std::uint32_t(carry);
      carry >>= 32;
    }
    out.limb[i + B] = std::uint32_t(carry);
  }
  return out;
}

TALLY_HD constexpr natural<2> natural_of(std::uint64_t x) {
  return {{std::uint32_t(x), std::uint32_t(x >> 32)}};
}

// A quotient or root cut to 256 bits: value = whole * 2^exponent, plus less than 2^exponent if
// sticky.
struct cut {
  natural<8> whole;
  int exponent;
  bool sticky;
};

// numerator / denominator * 2^exponent for a numerator > 0, with at least 127 significant bits and,
// if `even` asks for it, an even exponent.
template <int Limbs>
TALLY_HD cut divide(natural<Limbs> const& numerator, natural<4> const& denominator, int exponent,
           bool even) {
  int at = numerator.bit_length() - 256;
  if (even && (exponent + at) % 2 != 0) ++at;
  auto const high = numerator.template slice<8>(at);
  cut out{{}, exponent + at, numerator.any_below(at)};
  natural<5> remainder;
  auto const divisor = denominator.template slice<5>(0);
  for (int i = 255; i >= 0; --i) {
    double_and_add(remainder, high.bit(i));
    if (remainder < divisor) continue;
    subtract(remainder, divisor);
    out.whole.limb[i / 32] |= std::uint32_t(1) << (i % 32);
  }
  out.sticky = out.sticky || remainder.bit_length() > 0;
  return out;
}

// The square root of `x`, whose exponent is even. Digit by digit: `root` holds the bits found so
// far.
TALLY_HD inline cut square_root(cut const& x) {
  natural<8> root, remainder;
  for (int i = 127; i >= 0; --i) {
    double_and_add(remainder, x.whole.bit(2 * i + 1));
    double_and_add(remainder, x.whole.bit(2 * i));
    auto trial = root;  // 4 root + 1: what another bit would cost
    double_and_add(trial, false);
    double_and_add(trial, true);
    bool const fits = !(remainder < trial);
    if (fits) subtract(remainder, trial);
    double_and_add(root, fits);
  }
  return {root, x.exponent / 2, x.sticky || remainder.bit_length() > 0};
}

// x * 2^exponent, plus less than 2^exponent if sticky, rounded once.
template <floating T, int Limbs>
TALLY_HD T round_natural(bool negative, natural<Limbs> const& x, int exponent, bool sticky = false) {
  int const length = x.bit_length();
  if (length == 0) return T{};
  auto const top = x.template slice<2>(length - 64);
  std::uint64_t const significand = std::uint64_t(top.limb[1]) << 32 | top.limb[0];
  return round_to<T>(negative, significand, exponent + length - 1,
                     sticky || x.any_below(length - 64));
}

template <floating T>
TALLY_HD T round_cut(bool negative, cut const& x) {
  return round_natural<T>(negative, x.whole, x.exponent, x.sticky);
}

}  // namespace tally::detail
