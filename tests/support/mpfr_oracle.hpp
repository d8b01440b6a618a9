// SPDX-License-Identifier: Apache-2.0
//
// MPFR, made to round to a type as IEEE 754 does: once, with gradual underflow and overflow.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tally/exact/float_format.hpp"

namespace mpfr_oracle {

struct number {
  mpfr_t value;
  explicit number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  number(number const&) = delete;
  number& operator=(number const&) = delete;
  ~number() { mpfr_clear(value); }
};

// The exponent range of T, in MPFR's way of counting, while one lives.
template <tally::floating T>
class range_of {
 public:
  range_of() : least_(mpfr_get_emin()), greatest_(mpfr_get_emax()) {
    mpfr_set_emin(tally::format<T>::lowest + 1);
    mpfr_set_emax(tally::format<T>::bias + 1);
  }
  ~range_of() {
    mpfr_set_emin(least_);
    mpfr_set_emax(greatest_);
  }

 private:
  mpfr_exp_t least_, greatest_;
};

// A value that T has, as one.
template <tally::floating T>
T exactly(mpfr_t x) {
  if (mpfr_nan_p(x)) return tally::quiet_nan<T>();
  if (mpfr_inf_p(x)) return tally::infinity<T>(mpfr_sgn(x) < 0);
  bool const negative = mpfr_signbit(x);
  using bits = tally::bits_of<T>;
  bits const sign = negative ? tally::format<T>::sign : bits(0);
  if (mpfr_zero_p(x)) return tally::from_bits<T>(sign);
  constexpr int lowest = tally::format<T>::lowest, precision = tally::format<T>::precision;
  int const last = std::max(int(mpfr_get_exp(x)) - precision, lowest);
  number scaled(64);
  mpfr_mul_2si(scaled.value, x, -last, MPFR_RNDN);
  auto const whole = std::uint64_t(std::abs(mpfr_get_si(scaled.value, MPFR_RNDN)));
  return tally::from_bits<T>(
      bits(sign | bits((std::uint64_t(last - lowest) << (precision - 1)) + whole)));
}

// `ternary`: MPFR's report on the rounding that gave x.
template <tally::floating T>
T rounded(number& x, int ternary) {
  {
    range_of<T> const range;
    ternary = mpfr_check_range(x.value, ternary, MPFR_RNDN);
    mpfr_subnormalize(x.value, ternary, MPFR_RNDN);
  }
  return exactly<T>(x.value);
}

// A finite x.
template <tally::floating T>
void set(mpfr_t to, T x) {
  using f = tally::format<T>;
  std::uint64_t const magnitude = tally::to_bits(x) & (f::sign - 1);
  std::uint64_t const field = magnitude >> (f::precision - 1), hidden = f::fraction + 1ull;
  mpfr_set_ui_2exp(to, magnitude % hidden + (field ? hidden : 0),
                   f::lowest + long(field ? field - 1 : 0), MPFR_RNDN);
  if (tally::to_bits(x) & f::sign) mpfr_neg(to, to, MPFR_RNDN);
}

// The sum of finite elements; zero is +0.
template <tally::floating R, tally::floating T>
R sum(std::vector<T> const& x) {
  std::vector<mpfr_t> terms(x.size());
  std::vector<mpfr_ptr> pointers;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mpfr_init2(terms[i], 53);
    set(terms[i], x[i]);
    pointers.push_back(terms[i]);
  }
  number total(tally::format<R>::precision);
  int const ternary = mpfr_sum(total.value, pointers.data(), pointers.size(), MPFR_RNDN);
  for (auto& t : terms) mpfr_clear(t);
  if (mpfr_zero_p(total.value)) return R{};
  return rounded<R>(total, ternary);
}

}  // namespace mpfr_oracle
