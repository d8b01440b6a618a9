// SPDX-License-Identifier: Apache-2.0
//
// sum_state, dot_state and moments_state: what a reduction gives is what its elements give one by
// one, byte for byte.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/tally.hpp"

namespace {

using namespace tally;

template <class State>
std::vector<std::byte> bytes_of(State const& s) {
  byte_writer out;
  s.write(out);
  return out.take();
}
template <class T>
std::vector<std::byte> bytes_of_moments(typename moments<T, true>::state const& s) {
  byte_writer out;
  moments<T, true>::write(out, s);
  return out.take();
}

// Of one size, or of any, with what is not finite among them.
template <class T>
std::vector<T> values(std::size_t n, bool any, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> out(n);
  for (T& x : out) x = any ? from_bits<T>(bits_of<T>(random())) : convert<T>(normal(random));
  return out;
}

template <class T>
struct states : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(states, floats);

template <class T, class Check>
void for_inputs(Check check) {
  for (std::size_t n : {0, 1, 300, 20000, 200000})
    for (bool any : {false, true})
      for (auto const nan : {propagate, skip})
        for (int threads : {1, 3})
          check(values<T>(n, any, unsigned(n) + 1), values<T>(n, any, unsigned(n) + 2), nan,
                cpu{threads});
}

TYPED_TEST(states, of_a_sum_are_those_of_its_elements) {
  using T = TypeParam;
  for_inputs<T>([](auto const& x, auto const&, nan_policy nan, cpu where) {
    exact_state<T> want;
    for (T const e : x)
      if (nan == propagate || !is_nan(e)) want.add(e);
    EXPECT_EQ(bytes_of(reduce(where, x, sum_state{}, {.nan = nan})), bytes_of(want));
  });
}

TYPED_TEST(states, of_a_dot_product_are_those_of_its_pairs) {
  using T = TypeParam;
  for_inputs<T>([](auto const& x, auto const& y, nan_policy nan, cpu where) {
    exact_products<T> want;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (nan == propagate || !(is_nan(x[i]) || is_nan(y[i]))) want.add(x[i], y[i]);
    EXPECT_EQ(bytes_of(reduce(where, zip(x, y), dot_state{}, {.nan = nan})), bytes_of(want));
  });
}

TYPED_TEST(states, of_moments_are_those_of_their_elements) {
  using T = TypeParam;
  for_inputs<T>([](auto const& x, auto const&, nan_policy nan, cpu where) {
    typename moments<T, true>::state want;
    for (T const e : x)
      if (nan == propagate || !is_nan(e)) want.add(e), ++want.count;
    auto const got = reduce(where, x, moments_state{}, {.nan = nan});
    EXPECT_EQ(bytes_of_moments<T>(got), bytes_of_moments<T>(want));
  });
}

TYPED_TEST(states, of_parts_make_what_the_whole_makes) {
  using T = TypeParam;
  auto const x = values<T>(5000, false, 1), y = values<T>(7001, false, 2);
  auto both = x;
  both.insert(both.end(), y.begin(), y.end());
  cpu const here;

  auto s = reduce(here, x, moments_state{});
  s.merge(reduce(here, y, moments_state{}));
  EXPECT_EQ(to_bits(standard_deviation{}.on<T>().lower(s)),
            to_bits(reduce(here, both, standard_deviation{})));
  EXPECT_EQ(to_bits(mean{}.on<T>().lower({s.sum, s.count, {}})),
            to_bits(reduce(here, both, mean{})));

  reducer<T, sum_state> stream;
  stream.add(here, std::span<T const>(x));
  stream.add(here, std::span<T const>(y));
  EXPECT_EQ(to_bits(stream.result().result()), to_bits(reduce(here, both, sum{})));
}

TYPED_TEST(states, come_together_with_others) {
  using T = TypeParam;
  for (bool any : {false, true}) {
    auto const x = values<T>(3000, any, 3);
    cpu const here;
    auto const [total, rounded, of_moments] =
        reduce(here, x, all_together(sum_state{}, sum{}, moments_state{}));
    EXPECT_EQ(bytes_of(total), bytes_of(reduce(here, x, sum_state{})));
    EXPECT_EQ(to_bits(rounded), to_bits(reduce(here, x, sum{})));
    EXPECT_EQ(bytes_of_moments<T>(of_moments),
              bytes_of_moments<T>(reduce(here, x, moments_state{})));
  }
}

}  // namespace
