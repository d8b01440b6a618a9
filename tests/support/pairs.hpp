// SPDX-License-Identifier: Apache-2.0
//
// Inputs for dot products.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/mpfr_oracle.hpp"
#include "tally/exact/float_format.hpp"

namespace support {

template <class T>
struct pairs {
  std::vector<T> a, b;
};

template <class T, class F>
pairs<T> generate_pairs(std::size_t n, F&& f) {
  pairs<T> x{std::vector<T>(n), std::vector<T>(n)};
  for (std::size_t i = 0; i < n; ++i) x.a[i] = f(), x.b[i] = f();
  return x;
}

template <class T>
pairs<T> normal_pairs(std::mt19937_64& random, std::size_t n) {
  std::normal_distribution<double> normal;
  return generate_pairs<T>(n, [&] { return T(normal(random)); });
}

// Every finite value as likely as any other.
template <class T>
pairs<T> bit_patterns(std::mt19937_64& random, std::size_t n) {
  return generate_pairs<T>(n, [&] {
    for (;;) {
      T const x = tally::from_bits<T>(tally::bits_of<T>(random()));
      if (tally::is_finite(x)) return x;
    }
  });
}

template <class T>
pairs<T> subnormal_pairs(std::mt19937_64& random, std::size_t n) {
  using f = tally::format<T>;
  return generate_pairs<T>(n, [&] {
    return tally::from_bits<T>(tally::bits_of<T>(random() & (f::sign | f::fraction)));
  });
}

// Algorithm 6.1 (GenDot) of T. Ogita, S. Rump and S. Oishi, "Accurate sum and dot product": half of
// the pairs lie over the whole range of exponents, each other one cancels what there is so far.
template <class T>
pairs<T> ill_conditioned(std::mt19937_64& random, std::size_t n) {
  int const range = tally::format<T>::bias / 2 - 2;
  std::uniform_real_distribution<double> uniform(-1, 1);
  auto const random_of = [&](int exponent) { return T(std::ldexp(uniform(random), exponent)); };
  pairs<T> x;
  mpfr_oracle::number exact(4400), term(106), factor(53);
  mpfr_set_zero(exact.value, 1);
  for (std::size_t i = 0; i < n; ++i) {
    bool const spread = i < n / 2;
    int const exponent = spread ? int(random() % (2 * range + 1)) - range
                                : range - int(2 * range * (i - n / 2) / (n - n / 2));
    T const a = random_of(exponent);
    T b = random_of(spread ? exponent : 0);
    mpfr_oracle::set(factor.value, a);
    if (!spread && mpfr_sgn(factor.value)) {
      mpfr_oracle::number quotient(53);
      mpfr_div(quotient.value, exact.value, factor.value, MPFR_RNDN);
      T const cancels = T(-mpfr_get_d(quotient.value, MPFR_RNDN));
      if (tally::is_finite(cancels)) b = cancels;
    }
    x.a.push_back(a), x.b.push_back(b);
    mpfr_oracle::set(term.value, b);
    mpfr_mul(term.value, term.value, factor.value, MPFR_RNDN);
    mpfr_add(exact.value, exact.value, term.value, MPFR_RNDN);
  }
  return x;
}

}  // namespace support
