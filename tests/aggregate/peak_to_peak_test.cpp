// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/peak_to_peak.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/failure_of.hpp"
#include "support/mpfr_oracle.hpp"
#include "tally/reduce.hpp"

namespace {

using namespace tally;

TEST(peak_to_peak, of_integers_does_not_wrap_around) {
  std::vector<std::int8_t> const bytes{100, -128, 127, 0};
  EXPECT_EQ(reduce(cpu{}, bytes, peak_to_peak{}), 255u);
  using limits = std::numeric_limits<std::int64_t>;
  std::vector<std::int64_t> const wide{3, limits::min(), limits::max()};
  EXPECT_EQ(reduce(cpu{}, wide, peak_to_peak{}), ~std::uint64_t(0));
  std::vector<std::uint64_t> const natural{7, ~std::uint64_t(0), 9};
  EXPECT_EQ(reduce(cpu{}, natural, peak_to_peak{}), ~std::uint64_t(0) - 7);
}

// The exact difference, rounded once, by MPFR.
template <class T>
void expect_exact(std::vector<T> const& x) {
  T const low = reduce(cpu{}, x, minimum{}), high = reduce(cpu{}, x, maximum{});
  T const minus_low = from_bits<T>(bits_of<T>(to_bits(low) ^ format<T>::sign));
  T const want = mpfr_oracle::sum<T>(std::vector<T>{high, minus_low});
  EXPECT_EQ(to_bits(reduce(cpu{2}, x, peak_to_peak{})), to_bits(want));
}

template <class T>
struct peaks : ::testing::Test {};
using floats = ::testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(peaks, floats);

TYPED_TEST(peaks, of_any_bits_are_rounded_once) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<T> x(1 + random() % 3);
    for (T& e : x) do
        e = from_bits<T>(bits_of<T>(random()));
      while (!is_finite(e));
    expect_exact(x);
  }
}

TYPED_TEST(peaks, of_what_is_not_finite) {
  using T = TypeParam;
  T const inf = infinity<T>(false), nan = quiet_nan<T>(), one = convert<T>(1.0);
  auto const of = [](std::vector<T> const& x, nan_policy policy = propagate) {
    return to_bits(reduce(cpu{}, x, peak_to_peak{}, {.nan = policy}));
  };
  EXPECT_EQ(of({one, inf}), to_bits(inf));
  EXPECT_EQ(of({infinity<T>(true), inf}), to_bits(inf));
  EXPECT_EQ(of({inf, inf}), to_bits(nan));  // as inf - inf is, and NumPy's ptp
  EXPECT_EQ(of({one, nan}), to_bits(nan));
  EXPECT_EQ(of({one, nan}, skip), to_bits(T{}));
  EXPECT_EQ(of({one}), to_bits(T{}));
}

TEST(peak_to_peak, of_nothing_has_no_answer) {
  std::vector<float> const none;
  EXPECT_EQ(support::failure_of([&] { reduce(cpu{}, none, peak_to_peak{}); }),
            "peak_to_peak: the array is empty");
}

}  // namespace
