// SPDX-License-Identifier: Apache-2.0
//
// GMP's integers, beside the digits of our sums.
#pragma once

#include <gmp.h>

#include <cstdint>

#include "tally/exact/fixed_point.hpp"

namespace support {

struct whole {
  mpz_t value;
  whole() { mpz_init(value); }
  explicit whole(std::uint64_t x) { mpz_init_set_ui(value, x); }
  whole(whole const&) = delete;
  whole& operator=(whole const&) = delete;
  ~whole() { mpz_clear(value); }

  friend bool operator==(whole const& a, whole const& b) { return mpz_cmp(a.value, b.value) == 0; }
  // += count * x * 2^shift
  void add(std::int64_t count, whole const& x, int shift) {
    whole term;
    mpz_mul_si(term.value, x.value, count);
    mpz_mul_2exp(term.value, term.value, mp_bitcnt_t(shift));
    mpz_add(value, value, term.value);
  }
};

// A sum in units of 2^lsb.
template <int Digits, int Lsb>
void set(whole& out, tally::detail::fixed_point<Digits, Lsb> const& sum) {
  mpz_set_ui(out.value, 0);
  for (int i = Digits - 1; i >= 0; --i) {
    mpz_mul_2exp(out.value, out.value, 32);
    whole digit;
    mpz_set_si(digit.value, sum.digit[i]);
    mpz_add(out.value, out.value, digit.value);
  }
}

// The exact sum and the exact sum of squares of finite elements, in units of the last bits of the
// states' sums. Runs of equal elements cost no more than one.
template <class T>
struct exact_moments {
  whole sum, squares;

  template <class Elements>
  void add(Elements const& x, std::int64_t times = 1) {
    for (std::size_t i = 0; i < x.size();) {
      std::size_t end = i + 1;
      while (end < x.size() && tally::to_bits(x[end]) == tally::to_bits(x[i])) ++end;
      auto const p = tally::take_apart(x[i]);
      whole const significand(p.significand);
      whole square;
      mpz_mul(square.value, significand.value, significand.value);
      auto const count = times * std::int64_t(end - i);
      int const shift = p.exponent - tally::detail::sum_digits<T>::lsb;
      sum.add(p.negative ? -count : count, significand, shift);
      squares.add(count, square, 2 * shift);
      i = end;
    }
  }
};

}  // namespace support
