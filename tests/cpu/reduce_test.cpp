// SPDX-License-Identifier: Apache-2.0
#include "tally/reduce.hpp"
#include "tally/cpu_operators.hpp"
#include "tally/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cpu/operators.hpp"
#include "support/failure_of.hpp"

namespace {

using namespace tally;
using operators::affine;
using operators::sizes;
using support::failure_of;

TEST(reduce, keeps_the_order_of_an_operator_that_does_not_commute) {
  for (std::size_t const n : sizes) {
    if (n == 0) continue;
    auto const x = operators::random_affine(n);
    affine want = x[0];
    for (std::size_t i = 1; i < n; ++i) want = operators::then{}(want, x[i]);
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 7);
    for (int const threads : {1, 2, 3, 4}) {
      EXPECT_EQ(reduce(cpu{threads}, x, operators::then{}), want) << n;
      EXPECT_EQ(reduce(cpu{threads}, numbers, operators::leftmost{}), 7) << n;
    }
  }
}

TEST(reduce, of_nothing_gives_the_identity_or_names_the_aggregate) {
  std::vector<affine> const none;
  EXPECT_EQ(reduce(cpu{}, none, operators::then_with_identity{}), (affine{1, 0}));
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, none, operators::then{}); }),
            "operator: the array is empty");
  std::vector<float> const empty, nan(3, NAN);
  EXPECT_EQ(reduce(cpu{}, empty, sum{}), 0.0f);
  EXPECT_EQ(std::signbit(reduce(cpu{}, empty, fast_sum{})), false);
  auto const named = [&](auto op, std::string const& name) {
    EXPECT_EQ(failure_of([&] { reduce(cpu{}, empty, op); }), name + ": the array is empty");
    EXPECT_EQ(failure_of([&] { reduce(cpu{}, nan, op, {skip}); }), name + ": the array is empty");
  };
  named(minimum{}, "minimum");
  named(maximum{}, "maximum");
  named(min_max{}, "min_max");
  named(arg_minimum{}, "arg_minimum");
  named(arg_maximum{}, "arg_maximum");
  named(mean{}, "mean");
  named(variance{}, "variance");
  named(standard_deviation{}, "standard_deviation");
  named(describe{}, "describe");
}

// Elements that are made as they are read, and destroyed.
struct words {
  using element = std::string;
  std::uint64_t count;
  std::string operator[](std::uint64_t i) const { return std::string(i % 40, 'x'); }
  std::uint64_t size() const { return count; }
};
struct letters {
  using element = std::string;
  using state = std::uint64_t;
  using result = state;
  static constexpr bool any_order = true;
  state identity() const { return 0; }
  state lift(std::string const& x, std::uint64_t) const { return x.size(); }
  state combine(state left, state right) const { return left + right; }
  result lower(state s) const { return s; }
};

TEST(reduce, of_elements_that_own_memory) {
  EXPECT_EQ(reduce(cpu{}, words{40'000}, letters{}), 40'000 / 40 * (39 * 40 / 2));
}

TEST(reduce, refuses_a_negative_number_of_threads) {
  std::vector<int> const x(3);
  EXPECT_EQ(failure_of([&] { reduce(cpu{-2}, x, sum{}); }), "cpu: threads = -2 is negative");
}

TEST(reduce, into_a_variable_is_the_same) {
  std::vector<float> const x(1000, 0.1f);
  float total = 0;
  double mean_of_x = 0;
  reduce_into(cpu{}, x, &total, sum{});
  reduce_into(cpu{}, x, &mean_of_x, mean{}.as<double>());
  EXPECT_EQ(total, 100.0f);  // 1000 times 0.1f is 100.0000015, and then there is one rounding
  EXPECT_EQ(mean_of_x, double(0.1f));
}

TEST(reduce, appends_ordered_parts_only_where_they_adjoin) {
  auto const x = operators::random_affine(1000);
  std::span<affine const> const all = x;
  using stream = reducer<affine, operators::then>;
  stream left, right({}, {}, 300), gap({}, {}, 301), overlap({}, {}, 299);
  left.add(cpu{1}, all.first(300));
  for (auto* s : {&right, &gap, &overlap}) s->add(cpu{1}, all.subspan(300));
  EXPECT_THROW(left.append(gap), error);
  EXPECT_THROW(left.append(overlap), error);
  left.append(right);
  EXPECT_EQ(left.result(), reduce(cpu{1}, x, operators::then{}));
  EXPECT_EQ(left.count(), 1000u);
}

TEST(reduce, of_integers_wraps_at_64_bits) {
  std::vector<std::int64_t> const x(3, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(reduce(cpu{}, x, sum{}), std::int64_t(3 * 0x7fffffffffffffffull));
  std::vector<std::uint8_t> const bytes(70000, 255);
  EXPECT_EQ(reduce(cpu{}, bytes, sum{}), 70000u * 255);
  std::vector<std::int8_t> const lows(70000, -128);
  EXPECT_EQ(reduce(cpu{}, lows, sum{}), -70000 * 128);
}

template <class T>
void compare_sums_of_bytes(std::mt19937_64& random) {
  for (std::size_t const n : {1, 63, 64, 65, 1023, 1024, 1025, 2047, 70'001}) {
    for (int const kind : {0, 1, 2}) {
      std::vector<T> x(n);
      std::int64_t want = 0;
      for (T& e : x) {
        using limits = std::numeric_limits<T>;
        e = kind == 0 ? limits::max() : kind == 1 ? limits::min() : T(random());
        want += e;
      }
      for (std::size_t const from : {0, 1}) {
        auto const got = reduce(cpu{2}, std::span<T const>(x).subspan(from), sum{});
        EXPECT_EQ(std::int64_t(got), from ? want - x[0] : want) << n;
      }
    }
  }
}

TEST(reduce, sums_bytes_as_a_plain_loop_does) {
  std::mt19937_64 random(3);
  compare_sums_of_bytes<std::int8_t>(random);
  compare_sums_of_bytes<std::uint8_t>(random);
}

}  // namespace
