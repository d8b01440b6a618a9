// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/sum_of_squares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/mpfr_oracle.hpp"
#include "tally/reduce.hpp"

namespace {

using namespace tally;

// The exact sum of the squares of finite elements.
template <class T>
void add_squares(mpfr_oracle::number& exact, std::vector<T> const& x) {
  mpfr_set_zero(exact.value, 1);
  mpfr_oracle::number term(128);
  for (T const e : x) {
    mpfr_oracle::set(term.value, e);
    mpfr_sqr(term.value, term.value, MPFR_RNDN);
    mpfr_add(exact.value, exact.value, term.value, MPFR_RNDN);
  }
}

template <class R, class T>
R squares_by_mpfr(std::vector<T> const& x, bool root) {
  mpfr_oracle::number exact(4400), out(format<R>::precision);
  add_squares(exact, x);
  if (mpfr_zero_p(exact.value)) return R{};
  int const ternary = root ? mpfr_sqrt(out.value, exact.value, MPFR_RNDN)
                           : mpfr_set(out.value, exact.value, MPFR_RNDN);
  return mpfr_oracle::rounded<R>(out, ternary);
}

template <class T>
std::vector<T> finite_bits(std::mt19937_64& random, std::size_t n) {
  std::vector<T> x;
  while (x.size() < n) {
    T const e = from_bits<T>(bits_of<T>(random()));
    if (is_finite(e)) x.push_back(e);
  }
  return x;
}

template <class T>
class of_squares : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(of_squares, floats);

TYPED_TEST(of_squares, sum_and_root_are_exact_and_rounded_once) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    auto x = finite_bits<T>(random, random() % 40);
    if (i % 2)  // all of about one size, so that every element matters
      for (T& e : x)
        e = from_bits<T>(
            bits_of<T>((to_bits(e) & (format<T>::fraction | format<T>::sign)) |
                       to_bits(x[0]) / (format<T>::fraction + 1) * (format<T>::fraction + 1)));
    EXPECT_EQ(to_bits(reduce(cpu{}, x, sum_of_squares{})), to_bits(squares_by_mpfr<T>(x, false)));
    EXPECT_EQ(to_bits(reduce(cpu{}, x, norm{})), to_bits(squares_by_mpfr<T>(x, true)));
    EXPECT_EQ(to_bits(reduce(cpu{}, x, sum_of_squares{}.as<double>())),
              to_bits(squares_by_mpfr<double>(x, false)));
    EXPECT_EQ(to_bits(reduce(cpu{}, x, norm{}.as<double>())),
              to_bits(squares_by_mpfr<double>(x, true)));
  }
}

// Sums of significands that are as large as they can be, for so long that they go on to the digits
// more than once.
TYPED_TEST(of_squares, many_large_significands_are_summed_exactly) {
  using T = TypeParam;
  using f = format<T>;
  std::vector<T> x(1024);
  for (std::size_t i = 0; i < x.size(); ++i) {
    int const field = i % 4 ? f::max_field * 3 / 4 : int(i / 4 % 4);
    x[i] = from_bits<T>(bits_of<T>(f::fraction | bits_of<T>(field) << (f::precision - 1)));
  }
  int const times = 6000;
  mpfr_oracle::number exact(4400), out(format<double>::precision);
  add_squares(exact, x);
  mpfr_mul_ui(exact.value, exact.value, times, MPFR_RNDN);
  int const ternary = mpfr_sqrt(out.value, exact.value, MPFR_RNDN);
  std::vector<T> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), x.begin(), x.end());
  EXPECT_EQ(reduce(cpu{1}, all, norm{}.as<double>()), mpfr_oracle::rounded<double>(out, ternary));
}

// Some elements of each tile lie far from the others, and some of those are too many or too far.
TYPED_TEST(of_squares, a_few_elements_may_lie_elsewhere) {
  using T = TypeParam;
  int const reach = std::min(format<T>::bias - 1, 300);
  for (unsigned seed = 380; seed < 640; ++seed) {
    std::mt19937_64 random(seed);
    auto const below = [&](int n) { return int(random() % unsigned(n)); };
    auto const value = [&](int exponent) {
      double const size = std::ldexp(1 + double(random() >> 12) * 0x1p-52, exponent);
      return convert<T>(random() & 1 ? -size : size);
    };
    int const middle = below(2 * reach) - reach, width = 1 + below(30), outliers = below(20);
    int const far = 1 + below(2 * reach);
    std::vector<T> x(1000 + below(9000));
    for (T& e : x) e = value(middle - below(width));
    for (std::size_t tile = 0; tile + 512 <= x.size(); tile += 512)
      for (int k = 0; k < outliers; ++k) {
        T const e = value(middle + (below(3) ? -1 : 1) * below(far));
        if (is_finite(e)) x[tile + below(512)] = below(16) ? e : T{};
      }
    EXPECT_EQ(to_bits(reduce(cpu{}, x, sum_of_squares{}.as<double>())),
              to_bits(squares_by_mpfr<double>(x, false)))
        << "seed " << seed;
  }
}

TYPED_TEST(of_squares, infinities_make_infinity_and_a_nan_makes_nan) {
  using T = TypeParam;
  std::vector<T> x{infinity<T>(true), T(1.0), infinity<T>(false)};
  EXPECT_EQ(to_bits(reduce(cpu{}, x, sum_of_squares{})), to_bits(infinity<T>(false)));
  EXPECT_EQ(to_bits(reduce(cpu{}, x, norm{})), to_bits(infinity<T>(false)));
  x.push_back(quiet_nan<T>());
  EXPECT_EQ(to_bits(reduce(cpu{}, x, sum_of_squares{})), to_bits(quiet_nan<T>()));
  EXPECT_EQ(to_bits(reduce(cpu{}, x, norm{})), to_bits(quiet_nan<T>()));
  EXPECT_EQ(to_bits(reduce(cpu{}, x, norm{}, {.nan = skip})), to_bits(infinity<T>(false)));
}

TEST(norm, does_not_overflow_where_a_square_would) {
  EXPECT_EQ(reduce(cpu{}, std::vector{1e30f}, norm{}), 1e30f);
  EXPECT_EQ(reduce(cpu{}, std::vector{3e300, 4e300}, norm{}), 5e300);
  EXPECT_EQ(reduce(cpu{}, std::vector{5e-324}, norm{}), 5e-324);
  EXPECT_EQ(reduce(cpu{}, std::vector<float>{}, norm{}), 0.0f);
}

TEST(sum_of_squares, of_integers_is_modulo_2_to_the_64_or_rounded_once) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> const x{least, -3, 4};
  EXPECT_EQ(reduce(cpu{}, x, sum_of_squares{}), 25);
  EXPECT_EQ(reduce(cpu{}, x, sum_of_squares{}.as<double>()), 0x1p126);
  EXPECT_EQ(reduce(cpu{}, x, norm{}), 0x1p63);
  std::vector<std::uint32_t> const words{0xffffffff, 0xffffffff};
  std::vector<std::uint64_t> const longs{0xffffffff, 0xffffffff};  // 2^65 - 2^34 + 2
  EXPECT_EQ(reduce(cpu{}, words, sum_of_squares{}.as<double>()), 0x1.fffffffcp64);
  EXPECT_EQ(reduce(cpu{}, longs, sum_of_squares{}.as<double>()), 0x1.fffffffcp64);
  std::vector<std::uint8_t> const bytes(1000, 255);
  EXPECT_EQ(reduce(cpu{}, bytes, sum_of_squares{}), 65025000u);
  EXPECT_EQ(reduce(cpu{}, std::vector<std::int32_t>{}, sum_of_squares{}), 0);
}

}  // namespace
