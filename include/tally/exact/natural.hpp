// SPDX-License-Identifier: Apache-2.0
//
// Natural numbers of a fixed number of 32-bit limbs: what is left to compute exactly when every
// element has been read. Plain schoolbook algorithms; each runs a few times a call.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tally/claim.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::detail {

template <int Limbs>
struct natural {
  std::uint32_t limb[Limbs] = {};  // least significant first

  TALLY_HD constexpr int bit_length() const {
    TALLY_ROLL
    for (int i = Limbs - 1; i >= 0; --i)
      if (limb[i]) return 32 * i + 64 - leading_zeros(limb[i]);
    return 0;
  }
  TALLY_HD constexpr bool bit(int at) const {
    return at >= 0 && at < 32 * Limbs && (limb[at / 32] >> (at % 32) & 1);
  }
  // Whether any bit below position `end` is set.
  TALLY_HD constexpr bool any_below(int end) const {
    TALLY_ROLL
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
    TALLY_ROLL
    for (int i = 0; i < Size; ++i)
      out.limb[i] = std::uint32_t((get(whole + i) | get(whole + i + 1) << 32) >> shift);
    return out;
  }
};

template <int Limbs>
TALLY_HD constexpr bool operator<(natural<Limbs> const& a, natural<Limbs> const& b) {
  TALLY_ROLL
  for (int i = Limbs - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  return false;
}

// a -= b, for b <= a.
template <int Limbs>
TALLY_HD constexpr void subtract(natural<Limbs>& a, natural<Limbs> const& b) {
  std::int64_t borrow = 0;
  TALLY_ROLL
  for (int i = 0; i < Limbs; ++i) {
    std::int64_t const t = std::int64_t(a.limb[i]) - b.limb[i] + borrow;
    a.limb[i] = std::uint32_t(t);
    borrow = t >> 32;
  }
}

// a = 2 a + low; the top bit falls off.
template <int Limbs>
TALLY_HD constexpr void double_and_add(natural<Limbs>& a, bool low) {
  TALLY_ROLL
  for (int i = Limbs - 1; i > 0; --i) a.limb[i] = a.limb[i] << 1 | a.limb[i - 1] >> 31;
  a.limb[0] = a.limb[0] << 1 | std::uint32_t(low);
}

template <int A, int B>
TALLY_HD constexpr natural<A + B> multiply(natural<A> const& a, natural<B> const& b) {
  natural<A + B> out;
  TALLY_ROLL
  for (int i = 0; i < A; ++i) {
    if (a.limb[i] == 0) continue;
    std::uint64_t carry = 0;
    TALLY_ROLL
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

// A quotient or root truncated to 256 bits. The exact value is whole * 2^exponent, or more by less
// than 2^exponent if `sticky`.
struct truncated {
  natural<8> whole;
  int exponent;
  bool sticky;
};

// a / d for d > 0, and in `a` the remainder: limb by limb (Knuth, TAOCP 4.3.1, algorithm D).
TALLY_HD inline natural<8> long_division(natural<8>& a, natural<4> const& d) {
  int size = 4;
  TALLY_ROLL
  while (size > 1 && d.limb[size - 1] == 0) --size;
  int const shift = leading_zeros(d.limb[size - 1]) - 32;
  auto const v = d.slice<4>(-shift);  // its top bit is set
  auto u = a.slice<9>(-shift);
  std::uint64_t const first = v.limb[size - 1], second = size > 1 ? v.limb[size - 2] : 0;
  natural<8> out;
  TALLY_ROLL
  for (int j = 8 - size; j >= 0; --j) {
    std::uint64_t const top = std::uint64_t(u.limb[j + size]) << 32 | u.limb[j + size - 1];
    std::uint64_t q = top / first, r = top % first;
    std::uint64_t const next = size > 1 ? u.limb[j + size - 2] : 0;
    TALLY_ROLL
    while (r >> 32 == 0 && (q >> 32 || q * second > (r << 32 | next))) --q, r += first;
    std::int64_t borrow = 0;
    std::uint64_t carry = 0;
    TALLY_ROLL
    for (int i = 0; i < size; ++i) {
      carry += q * v.limb[i];
      borrow += std::int64_t(u.limb[j + i]) - std::int64_t(carry & 0xffffffff);
      u.limb[j + i] = std::uint32_t(borrow);
      carry >>= 32, borrow >>= 32;
    }
    borrow += std::int64_t(u.limb[j + size]) - std::int64_t(carry);
    u.limb[j + size] = std::uint32_t(borrow);
    if (borrow < 0) {  // one too many
      --q;
      carry = 0;
      TALLY_ROLL
      for (int i = 0; i < size; ++i) {
        carry += std::uint64_t(u.limb[j + i]) + v.limb[i];
        u.limb[j + i] = std::uint32_t(carry);
        carry >>= 32;
      }
      u.limb[j + size] += std::uint32_t(carry);
    }
    out.limb[j] = std::uint32_t(q);
  }
  a = u.slice<8>(shift);
  return out;
}

// numerator / denominator * 2^exponent for a numerator > 0, with at least 127 significant bits and,
// if `even` asks for it, an even exponent.
template <int Limbs>
TALLY_HD truncated divide(natural<Limbs> const& numerator, natural<4> const& denominator,
                          int exponent, bool even) {
  int at = numerator.bit_length() - 256;
  if (even && (exponent + at) % 2 != 0) ++at;
  auto rest = numerator.template slice<8>(at);
  truncated out{long_division(rest, denominator), exponent + at, numerator.any_below(at)};
  out.sticky = out.sticky || rest.bit_length() > 0;
  TALLY_CLAIM(within("divide.bits", std::ldexp(1.0, 127 - out.whole.bit_length()), 1));
  return out;
}

// The square root of `x`, whose exponent is even, by Newton's method from above. The first guess
// has 50 bits, and no answer depends on it.
TALLY_HD inline truncated square_root(truncated const& x) {
  int const length = (x.whole.bit_length() + 1) / 2 * 2;
  if (length == 0) return {{}, x.exponent / 2, x.sticky};
  auto const top = x.whole.slice<2>(length - 64);
  double const leading = double(std::uint64_t(top.limb[1]) << 32 | top.limb[0]);
  std::uint64_t const guess = std::uint64_t(std::sqrt(leading) * 0x1p20) + 16;
  TALLY_CLAIM(
      guess("square_root.guess", std::uint64_t(top.limb[1]) << 32 | top.limb[0], guess, 16));
  // guess * 2^(length / 2 - 52) is at least the root, and less than 2^129.
  auto root = natural_of(guess).slice<5>(52 - length / 2);
  if (root.limb[4]) root = natural<5>{{~0u, ~0u, ~0u, ~0u, 0}};
  TALLY_ROLL
  for (;;) {
    auto rest = x.whole;
    auto next = long_division(rest, root.slice<4>(0));
    std::uint64_t carry = 0;
    TALLY_ROLL
    for (int i = 0; i < 8; ++i) {
      carry += std::uint64_t(next.limb[i]) + (i < 4 ? root.limb[i] : 0);
      next.limb[i] = std::uint32_t(carry);
      carry >>= 32;
    }
    auto const mean = next.slice<5>(1);
    if (mean < root) {
      root = mean;
      continue;
    }
    // The quotient is the root, too, if nothing is left.
    auto const square = multiply(root.slice<4>(0), root.slice<4>(0));
    bool const exact = !(square < x.whole);
    return {root.slice<8>(0), x.exponent / 2, x.sticky || !exact};
  }
}

// Rounds x * 2^exponent once. If `sticky`, the exact value is larger by less than 2^exponent.
template <floating T, int Limbs>
TALLY_HD T round_natural(bool negative, natural<Limbs> const& x, int exponent,
                         bool sticky = false) {
  int const length = x.bit_length();
  if (length == 0) return T{};
  auto const top = x.template slice<2>(length - 64);
  std::uint64_t const significand = std::uint64_t(top.limb[1]) << 32 | top.limb[0];
  return round_to<T>(negative, significand, exponent + length - 1,
                     sticky || x.any_below(length - 64));
}

template <floating T>
TALLY_HD T round_truncated(bool negative, truncated const& x) {
  return round_natural<T>(negative, x.whole, x.exponent, x.sticky);
}

}  // namespace tally::detail
