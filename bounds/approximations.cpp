// SPDX-License-Identifier: Apache-2.0
//
// What is claimed of approximations and of what is made of them, by MPFR.
#include <algorithm>
#include <cmath>

#include <mpfr.h>

#include "bounds/claims.hpp"

namespace tally::bounds {
namespace {

// A number of 512 bits, in which all below is as good as exact.
class number {
 public:
  number(double x = 0) {
    mpfr_init2(value_, 512);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  number(double high, double low) : number(high) { mpfr_add_d(value_, value_, low, MPFR_RNDN); }
  number(number const& x) : number() { mpfr_set(value_, x.value_, MPFR_RNDN); }
  number& operator=(number const& x) {
    mpfr_set(value_, x.value_, MPFR_RNDN);
    return *this;
  }
  ~number() { mpfr_clear(value_); }
  static number of(std::uint64_t n) { return number(double(n >> 32) * 0x1p32, double(n & ~0u)); }

  friend number operator+(number a, number const& b) {
    mpfr_add(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend number operator-(number a, number const& b) {
    mpfr_sub(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend number operator*(number a, number const& b) {
    mpfr_mul(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend number operator/(number a, number const& b) {
    mpfr_div(a.value_, a.value_, b.value_, MPFR_RNDN);
    return a;
  }
  friend number root(number a) {
    mpfr_sqrt(a.value_, a.value_, MPFR_RNDN);
    return a;
  }
  friend number scaled(number a, long by) {
    mpfr_mul_2si(a.value_, a.value_, by, MPFR_RNDN);
    return a;
  }
  long double size() const { return std::fabs(mpfr_get_ld(value_, MPFR_RNDN)); }

 private:
  mpfr_t value_;
};

}  // namespace

void check_approximation(char const* name, site where, exact const& truth, double high, double low,
                         double error, int exponent) {
  exact off = truth;
  off.add(-high, exponent);
  off.add(-low, exponent);
  long double const size = off.magnitude();
  long double const allowed = std::ldexp((long double)(error), exponent);
  record(name, where, size == 0 ? 0 : size / allowed, high, low);
}

void check_mean(char const* name, site where, double high, double low, double error,
                std::uint64_t n, double found_high, double found_low, double allowed) {
  number const found(found_high, found_low), sum(high, low);
  for (double const e : {error, -error})
    record(name, where, ((sum + number(e)) / number::of(n) - found).size() / allowed, high, error);
}

void check_root(char const* name, site where, double high, double low, double error,
                double found_high, double found_low, double allowed) {
  number const found(found_high, found_low), x(high, low);
  for (double const e : {error, -error})
    record(name, where, (root(x + number(e)) - found).size() / allowed, high, error);
}

void check_variance(char const* name, site where, approximated const& sum,
                    approximated const& squares, std::uint64_t n, std::uint64_t ddof,
                    double found_high, double found_low, double allowed) {
  number const found(found_high, found_low), count = number::of(n);
  number const divisor = count * number::of(n - ddof);
  for (double const e : {sum.error, -sum.error})
    for (double const q : {squares.error, -squares.error}) {
      number const s = number(sum.high, sum.low) + number(e);
      number const square = scaled(s * s, 2L * sum.exponent - squares.exponent);
      number const spread = count * (number(squares.high, squares.low) + number(q)) - square;
      record(name, where, (spread / divisor - found).size() / allowed, sum.high, squares.high);
    }
}

void check_rounds(char const* name, site where, double high, double low, double error, int exponent,
                  double result, int precision, int least) {
  exact value(high, exponent);
  value.add(low, exponent);
  if (!std::isfinite(result)) return record(name, where, 0, high, low);
  for (double const e : {error, -error}) {
    exact end = value;
    end.add(e, exponent);
    if (end.rounded(precision, least) != (long double)(result))
      return record(name, where, 2, high, error);
  }
  long double const room = value.to_boundary(precision, least);
  record(name, where, std::ldexp((long double)(error), exponent) / room, high, error);
}

void check_two_doubles(char const* name, site where, char operation, double a_high, double a_low,
                       double b_high, double b_low, double high, double low) {
  number const a(a_high, a_low), b(b_high, b_low), found(high, low);
  number const truth = operation == '*'   ? a * b
                       : operation == '-' ? a - b
                       : operation == '/' ? a / b
                                          : root(a);
  long double const of = operation == '-' ? std::max(a.size(), b.size()) : truth.size();
  long double const off = (truth - found).size();
  record(name, where, off == 0 ? 0 : off / of * 0x1p100L, a_high, b_high);
}

// How much of what is `spare` above a root in units of 2^-20 rounding has taken.
void check_guess(char const* name, site where, std::uint64_t part, std::uint64_t guess,
                 double spare) {
  number const truth = scaled(root(number::of(part)), 20);
  number const above = number::of(guess) - truth;
  record(name, where, (number(spare) - above).size() / spare, double(part), double(guess));
}

}  // namespace tally::bounds
