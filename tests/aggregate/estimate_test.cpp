// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tally/tally.hpp"

namespace {

using namespace tally;

template <class Digits>
detail::leading leading_part(Digits d) {
  d.carry();
  int low = 0, high = Digits::digits - 1;
  while (high >= 0 && d.digit[high] == 0) --high;
  while (low < high && d.digit[low] == 0) ++low;
  if (high < 0) return {};
  return detail::leading_of([&](int i) { return d.digit[i]; }, low, high, Digits::lsb);
}

template <class T>
typename moments<T, true>::state state_of(std::vector<T> const& in) {
  moments<T, true> const a;
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i) s = a.combine(s, a.lift(in[i], i));
  return s;
}

// Whether the estimate answers, which then must be what the exact arithmetic says.
template <class Op, class T>
bool answers(Op const& op, std::vector<T> const& in) {
  auto const a = op.template on<T>();
  auto const s = state_of(in);
  typename decltype(a)::result got;
  if (!a.estimate(leading_part(s.sum.finite), leading_part(s.squares.finite), s.count, got))
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
struct estimates : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(estimates, floats);

TYPED_TEST(estimates, answer_almost_always_and_exactly) {
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

TYPED_TEST(estimates, leave_half_way_cases_to_exact_arithmetic) {
  using f = format<TypeParam>;
  TypeParam const one =
      from_bits<TypeParam>(typename f::bits(typename f::bits(f::bias) << (f::precision - 1)));
  TypeParam const next = from_bits<TypeParam>(typename f::bits(to_bits(one) + 1));
  EXPECT_FALSE(answers(tally::mean{}, std::vector{one, next}));
  // A spread of exactly zero could be anything that small.
  EXPECT_FALSE(answers(variance{}, std::vector(7, next)));
  EXPECT_FALSE(answers(standard_deviation{}, std::vector(7, next)));
}

TYPED_TEST(estimates, know_zeros_and_leave_what_is_subnormal) {
  std::vector<TypeParam> zeros(5);
  EXPECT_TRUE(answers(tally::mean{}, zeros));
  EXPECT_TRUE(answers(variance{}, zeros));
  EXPECT_TRUE(answers(norm{}, zeros));
  std::vector const small(3, from_bits<TypeParam>(1));
  EXPECT_FALSE(answers(tally::mean{}, small));
  EXPECT_FALSE(answers(sum_of_squares{}, small));
}

TEST(estimates, need_an_element_more_than_ddof) {
  std::vector const one = {1.5};
  EXPECT_FALSE(answers(variance{.ddof = 1}, one));
  EXPECT_TRUE(answers(tally::mean{}, one));
}

TEST(estimates, of_integers_are_exact) {
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

}  // namespace
