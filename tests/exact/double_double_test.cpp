// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/double_double.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "support/mpfr_oracle.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;

template <class Digits>
detail::approximation approximation_to(Digits d) {
  d.carry();
  int low = 0, high = Digits::digits - 1;
  while (high >= 0 && d.digit[high] == 0) --high;
  while (low < high && d.digit[low] == 0) ++low;
  if (high < 0) return {};
  return detail::approximation_of([&](int i) { return d.digit[i]; }, low, high, Digits::lsb);
}

template <class T>
typename moments<T, true>::state state_of(std::vector<T> const& in) {
  moments<T, true> const a;
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i) s = a.combine(s, a.lift(in[i], i));
  return s;
}

template <element T, floating R>
bool round_quickly(exact_mean<T, R> const&, detail::approximation const& sum,
                   detail::approximation const&, std::uint64_t n, R& out) {
  return detail::quick_mean(sum, n, out);
}
template <element T, floating R, bool Root>
bool round_quickly(exact_variance<T, R, Root> const& a, detail::approximation const& sum,
                   detail::approximation const& squares, std::uint64_t n, R& out) {
  return detail::quick_variance(sum, squares, n, a.ddof, Root, out);
}
template <element T, floating R>
bool round_quickly(exact_sum_of_squares<T, R> const&, detail::approximation const&,
                   detail::approximation const& squares, std::uint64_t, R& out) {
  return detail::quick_squares(squares, false, out);
}
template <element T, floating R>
bool round_quickly(exact_norm<T, R> const&, detail::approximation const&,
                   detail::approximation const& squares, std::uint64_t, R& out) {
  return detail::quick_squares(squares, true, out);
}

// Whether the quick phase answers, which then must be what the exact arithmetic says.
template <class Op, class T>
bool answers(Op const& op, std::vector<T> const& in) {
  auto const a = op.template on<T>();
  auto const s = state_of(in);
  typename decltype(a)::result got;
  if (!round_quickly(a, approximation_to(s.sum.finite), approximation_to(s.squares.finite), s.count,
                     got))
    return false;
  auto const want = reduce(cpu{1}, in, op);
  EXPECT_EQ(to_bits(got), to_bits(want)) << a.name << " of " << in.size();
  return true;
}

template <class T>
std::vector<T> random_values(std::size_t n, double mean, double scale, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(mean, scale);
  std::vector<T> out(n);
  for (T& x : out) x = convert<T>(normal(random));
  return out;
}

template <class T>
struct quick_phase : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(quick_phase, floats);

TYPED_TEST(quick_phase, answers_almost_always_and_exactly) {
  int asked = 0, answered = 0;
  auto const ask = [&](auto const& op, auto const& in) { ++asked, answered += answers(op, in); };
  for (unsigned seed = 1; seed <= 30; ++seed)
    for (std::size_t n : {2, 3, 10, 1000})
      for (double mean : {0.0, 1.0, 100.0}) {
        auto const in = random_values<TypeParam>(n, mean, 1, seed);
        ask(tally::mean{}, in);
        ask(variance{}, in);
        ask(variance{.ddof = 1}.as<double>(), in);
        ask(standard_deviation{.ddof = 1}, in);
        ask(sum_of_squares{}, in);
        ask(norm{}, in);
      }
  EXPECT_GT(answered, asked * 0.8);  // small types have many half-way cases
}

TYPED_TEST(quick_phase, leaves_half_way_cases_to_exact_arithmetic) {
  using f = format<TypeParam>;
  TypeParam const one =
      from_bits<TypeParam>(typename f::bits(typename f::bits(f::bias) << (f::precision - 1)));
  TypeParam const next = from_bits<TypeParam>(typename f::bits(to_bits(one) + 1));
  EXPECT_FALSE(answers(tally::mean{}, std::vector{one, next}));
  // A spread of exactly zero could be anything that small.
  EXPECT_FALSE(answers(variance{}, std::vector(7, next)));
  EXPECT_FALSE(answers(standard_deviation{}, std::vector(7, next)));
}

TYPED_TEST(quick_phase, knows_zeros_and_leaves_what_is_subnormal) {
  std::vector<TypeParam> zeros(5);
  EXPECT_TRUE(answers(tally::mean{}, zeros));
  EXPECT_TRUE(answers(variance{}, zeros));
  EXPECT_TRUE(answers(norm{}, zeros));
  std::vector const small(3, from_bits<TypeParam>(1));
  EXPECT_FALSE(answers(tally::mean{}, small));
  EXPECT_FALSE(answers(sum_of_squares{}, small));
}

TEST(quick_phase, needs_an_element_more_than_ddof) {
  std::vector const one = {1.5};
  EXPECT_FALSE(answers(variance{.ddof = 1}, one));
  EXPECT_TRUE(answers(tally::mean{}, one));
}

TEST(quick_phase, is_exact_for_integers) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> wide(999);
  std::vector<std::uint8_t> narrow(999);
  for (auto& x : wide) x = std::int64_t(random());
  for (auto& x : narrow) x = std::uint8_t(random());
  EXPECT_TRUE(answers(tally::mean{}, wide));
  EXPECT_TRUE(answers(variance{}, wide));
  EXPECT_TRUE(answers(norm{}, wide));
  EXPECT_TRUE(answers(tally::mean{}, narrow));
  EXPECT_TRUE(answers(standard_deviation{}, narrow));
}

using sums = moments<double, true>::state;

// Adds significand * 2^exponent, rounded to nothing: all of it is there.
template <class Digits>
void add(Digits& d, bool negative, unsigned __int128 significand, int exponent) {
  d.add(negative, std::uint64_t(significand), exponent);
  d.add(negative, std::uint64_t(significand >> 64), exponent + 64);
}

// Whether the quick phase answers for these sums; it then must be right.
template <class Op>
bool answers_for(Op const& op, sums const& s) {
  auto const a = op.template on<double>();
  typename decltype(a)::result got;
  if (!round_quickly(a, approximation_to(s.sum.finite), approximation_to(s.squares.finite), s.count,
                     got))
    return false;
  typename decltype(a)::parts::state state{s.sum, s.count, {}};
  if constexpr (requires { state.squares.finite; }) state.squares = s.squares;
  EXPECT_EQ(to_bits(got), to_bits(a.lower(state))) << a.name;
  return true;
}

// A number half way between two doubles, and between two floats, times 2^precision.
template <class R>
std::vector<std::uint64_t> halfway() {
  std::uint64_t const one = std::uint64_t(1) << format<R>::precision;
  return {one + 1, one + 3, one + one / 2 + 1, 2 * one - 1, 2 * one - 3};
}

// The quick phase knows a double that is off by more than 2^-75 of it, if nothing cancels; nothing
// narrower, if the double is a midpoint. Wherever it answers, it is right. `sums_of(h, below, j)`:
// the sums for a result that is the midpoint h, plus or minus 2^-j; `op` rounds to R.
template <class R, class Op, class F>
void expect_right_beside_midpoints(Op const& op, F&& sums_of, bool cancels = false) {
  for (auto const h : halfway<R>())
    for (bool const below : {false, true})
      for (int j = 58; j <= 160; ++j) {
        bool const known = answers_for(op, sums_of(h, below, j));
        EXPECT_TRUE(known || j >= 75 || sizeof(R) < 8 || cancels) << j;
        if (testing::Test::HasFailure()) return;
      }
}

template <class R>
void expect_right_means() {
  for (std::uint64_t const n : {1ul, 3ul, 7ul, 1000003ul, (1ul << 40) + 1})
    expect_right_beside_midpoints<R>(tally::mean{}.as<R>(), [&](auto h, bool below, int j) {
      sums s;
      s.count = n;
      for (std::uint64_t k = 1; k <= n; k *= 2)
        if (n & k) {
          add(s.sum.finite, false, static_cast<unsigned __int128>(h) * k, -format<R>::precision);
          add(s.sum.finite, below, k, -j);
        }
      s.squares.finite.add(false, 1, 0);
      return s;
    });
}
TEST(quick_phase, is_right_for_means_beside_midpoints) {
  expect_right_means<double>();
  expect_right_means<float>();
  expect_right_means<float16>();
}

template <class R>
void expect_right_squares() {
  expect_right_beside_midpoints<R>(sum_of_squares{}.as<R>(), [](auto h, bool below, int j) {
    sums s;
    s.count = 1;
    add(s.squares.finite, false, h, -format<R>::precision);
    add(s.squares.finite, below, 1, -j);
    return s;
  });
  // The root of the square of a midpoint, plus or minus 2^-j.
  expect_right_beside_midpoints<R>(norm{}.as<R>(), [](auto h, bool below, int j) {
    sums s;
    s.count = 1;
    add(s.squares.finite, false, static_cast<unsigned __int128>(h) * h, -2 * format<R>::precision);
    add(s.squares.finite, below, 1, -j);
    return s;
  });
}
TEST(quick_phase, is_right_for_squares_and_roots_beside_midpoints) {
  expect_right_squares<double>();
  expect_right_squares<float>();
  expect_right_squares<bfloat16>();
}

// Of n elements with the mean m * 2^-k, whose variance is the midpoint: n * (n * squares - sum^2).
template <class R>
void expect_right_variances(std::uint64_t n, std::uint64_t m, int k) {
  auto const sums_for = [&](unsigned __int128 variance, int exponent, bool below, int j) {
    sums s;
    s.count = n;
    s.sum.finite.add(false, m * n, -k);
    add(s.squares.finite, false, variance * n, exponent);
    add(s.squares.finite, below, n, -j);
    add(s.squares.finite, false, static_cast<unsigned __int128>(m * m) * n, -2 * k);
    return s;
  };
  bool const cancels = m > 1000;
  expect_right_beside_midpoints<R>(
      basic_variance<R, false>{},
      [&](auto h, bool below, int j) { return sums_for(h, -format<R>::precision, below, j); },
      cancels);
  if (n >> 20) return;  // squares of midpoints take up more bits than there are
  expect_right_beside_midpoints<R>(
      basic_variance<R, true>{},
      [&](auto h, bool below, int j) {
        return sums_for(static_cast<unsigned __int128>(h) * h, -2 * format<R>::precision, below, j);
      },
      cancels);
}
TEST(quick_phase, is_right_for_variances_beside_midpoints) {
  for (std::uint64_t const n : {2, 7, 1023}) {
    for (std::uint64_t const mean : {0, 1, 12}) {
      expect_right_variances<double>(n, mean, 0);
      expect_right_variances<float>(n, mean, 0);
    }
  }
}
// The divisor n * n needs more than one double.
TEST(quick_phase, is_right_for_variances_of_many_beside_midpoints) {
  for (std::uint64_t const n : {(1ul << 27) + 1, (1ul << 34) + 3, (1ul << 40) + 1})
    expect_right_variances<double>(n, 1, 0);
}
// The mean is so far above the deviation that little is left of n * squares - sum^2.
TEST(quick_phase, is_right_for_variances_beside_a_large_mean_beside_midpoints) {
  for (int const mean : {11, 15, 19, 23, 27, 31})
    for (std::uint64_t const n : {7, 999983}) {
      expect_right_variances<double>(n, (1ul << mean) - 5, 0);
      expect_right_variances<float>(n, (1ul << mean) - 5, 0);
    }
}

// A mean that is less and less beside the deviation, and is still seen in the variance.
TEST(quick_phase, sees_a_small_mean_of_variances) {
  std::uint64_t const h = (std::uint64_t(1) << 53) + 1, n = 3;
  for (int const place : {0, 30, 60})
    for (int k = 0; k < 100; k += 2)
      for (int const j : {60, 90, 200}) {
        sums s;
        s.count = n;
        s.sum.finite.add(false, n, -k);
        add(s.squares.finite, false, h * n, place - 53);
        add(s.squares.finite, true, n, place - j);
        add(s.squares.finite, false, n, -2 * k);
        answers_for(variance{}, s);
      }
}

// The ends of a type's range: what is less than a normal number is left, what is more is infinite.
template <class R>
void expect_right_ends() {
  using f = format<R>;
  std::uint64_t const greatest = (std::uint64_t(1) << f::precision) - 1;  // of so many bits
  for (int const place : {f::bias - 1, f::bias, f::bias + 1, 2 - f::bias, 1 - f::bias, -f::bias})
    for (std::uint64_t const significand : {greatest, 2 * greatest + 1, (greatest + 1) / 2})
      for (bool const below : {false, true})
        for (int const j : {0, 60, 70, 120}) {
          if (place - j < -1074 + 54) continue;
          sums s;
          s.count = 1;
          s.squares.finite.add(false, 1, 0);
          s.sum.finite.add(false, significand, place - std::bit_width(significand) + 1);
          if (j != 0) s.sum.finite.add(below, 1, place - j);
          bool const known = answers_for(tally::mean{}.as<R>(), s);
          EXPECT_FALSE(known && place < 1 - f::bias) << place;
        }
}
TEST(quick_phase, knows_the_ends_of_a_range) {
  expect_right_ends<double>();
  expect_right_ends<float>();
  expect_right_ends<float16>();
  expect_right_ends<bfloat16>();
}

// Digits of either sign, the leading ones of which cancel, so that little or nothing is left of
// those that are looked at: the exact number is within the error that is claimed, which is not
// more than it has to be where nothing cancels.
TEST(approximation_of, is_within_the_error_that_it_claims) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    int const length = 1 + int(random() % 20), cancels = int(random() % 10);
    std::vector<std::int64_t> digit(std::size_t(length) + 10);
    bool const positive = round % 4 == 0;
    for (int i = 0; i < length; ++i) {
      std::int64_t const d = std::int64_t(random() >> (16 + random() % 48));
      digit[std::size_t(i)] = positive || random() % 2 ? d : -d;
    }
    int high = length - 1;
    for (int k = 0; k < cancels && !positive; ++k, ++high) {  // 1, -2^32: nothing
      if (k == 0) digit[std::size_t(high)] = 0;
      digit[std::size_t(high)] -= std::int64_t(1) << 32;
      digit[std::size_t(high) + 1] = 1;
      if (random() % 2) digit[std::size_t(high) + 1] += std::int64_t(random() % 2);
    }
    if (digit[std::size_t(high)] == 0) digit[std::size_t(high)] = 1;
    auto const l =
        detail::approximation_of([&](int i) { return digit[std::size_t(i)]; }, 0, high, -64);
    mpfr_oracle::number exact(2000), value(2000), term(64);
    mpfr_set_zero(exact.value, 1);
    for (int i = 0; i <= high; ++i) {
      mpfr_set_si_2exp(term.value, digit[std::size_t(i)], 32 * i - 64 - l.exponent, MPFR_RNDN);
      mpfr_add(exact.value, exact.value, term.value, MPFR_RNDN);
    }
    mpfr_set_d(value.value, l.value.high, MPFR_RNDN);
    mpfr_add_d(value.value, value.value, l.value.low, MPFR_RNDN);
    mpfr_sub(exact.value, exact.value, value.value, MPFR_RNDN);
    double const off = std::fabs(mpfr_get_d(exact.value, MPFR_RNDA));
    ASSERT_LE(off, l.error) << length << ' ' << cancels;
    ASSERT_GE(l.error, 0x1p-98 * std::fabs(l.value.high));
    ASSERT_TRUE(!positive || l.error <= 0x1p-90 * l.value.high);
  }
}

}  // namespace
