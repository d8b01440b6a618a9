// SPDX-License-Identifier: Apache-2.0
//
// An any-order aggregate of the user's, which has data of its own.
#include "tally/aggregate/aggregate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tally/tally.hpp"

namespace {

using namespace tally;

struct count_above {
  using element = float;
  using state = std::uint64_t;
  using result = std::uint64_t;
  static constexpr bool any_order = true;
  static constexpr char const* name = "count_above";
  float threshold;

  state identity() const { return 0; }
  state lift(float x, std::uint64_t) const { return x > threshold; }
  state combine(state s, state t) const { return s + t; }
  result lower(state s) const { return s; }
};

// Every multiple of 1/8 from 0 to 99, again and again, with a NaN in between.
std::vector<float> steps(std::size_t n) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 1000 == 7 ? NAN : float(i * 37 % 793) / 8;
  return x;
}

std::uint64_t plain_count(std::span<float const> x, float threshold) {
  return std::uint64_t(std::count_if(x.begin(), x.end(), [=](float e) { return e > threshold; }));
}

TEST(users_aggregate, counts_with_any_number_of_threads) {
  for (std::size_t const n : {0, 1, 511, 513, 70'000, 200'003}) {
    auto const x = steps(n);
    for (float const threshold : {-1.0f, 30.5f, 98.0f})
      for (int const threads : {1, 2, 3, 8}) {
        auto const want = plain_count(x, threshold);
        EXPECT_EQ(reduce(cpu{threads}, x, count_above{threshold}), want) << n;
        EXPECT_EQ(reduce(cpu{threads}, x, count_above{threshold}, {skip}), want) << n;
      }
  }
}

// Whose lift() and combine() must not meet a NaN that is skipped.
struct never_nan : count_above {
  static inline bool met = false;
  state lift(float x, std::uint64_t i) const {
    if (std::isnan(x)) met = true;
    return count_above::lift(x, i);
  }
};

TEST(users_aggregate, is_not_given_what_is_skipped) {
  auto const x = steps(5'000);
  EXPECT_EQ(reduce(cpu{1}, x, never_nan{{50}}, {skip}), plain_count(x, 50));
  EXPECT_FALSE(never_nan::met);
  EXPECT_EQ(reduce(cpu{1}, x, never_nan{{50}}), plain_count(x, 50));
  EXPECT_TRUE(never_nan::met);
}

TEST(users_aggregate, counts_in_one_read_with_others) {
  auto const x = steps(100'001);
  auto const [low, ends, high] =
      reduce(cpu{3}, x, all_together(count_above{10}, min_max{}, count_above{90}), {skip});
  EXPECT_EQ(low, plain_count(x, 10));
  EXPECT_EQ(ends.maximum, 99);
  EXPECT_EQ(high, plain_count(x, 90));
}

TEST(users_aggregate, counts_in_a_stream_whose_parts_come_in_any_order) {
  auto const x = steps(50'000);
  std::span<float const> const all = x;
  reducer<float, count_above> late(count_above{50}), early(count_above{50});
  late.add(cpu{1}, all.subspan(20'000));
  early.add(cpu{2}, all.first(20'000));
  late.append(early);
  EXPECT_EQ(late.result(), plain_count(x, 50));
}

TEST(users_aggregate, counts_in_scans) {
  auto const x = steps(140'000);
  for (bool const reverse : {false, true})
    for (int const threads : {1, 2, 4}) {
      std::vector<std::uint64_t> up_to(x.size()), before(x.size());
      std::uint64_t total = 0, seen = 0;
      inclusive_scan(cpu{threads}, x, up_to, count_above{50},
                     {.reverse = reverse, .total = &total});
      exclusive_scan(cpu{threads}, x, before, count_above{50}, {.reverse = reverse});
      for (std::size_t k = 0; k < x.size(); ++k) {
        std::size_t const i = reverse ? x.size() - 1 - k : k;
        ASSERT_EQ(before[i], seen) << i;
        seen += x[i] > 50;
        ASSERT_EQ(up_to[i], seen) << i;
      }
      EXPECT_EQ(total, seen);
    }
}

// A number for a run of elements and where they are: what is left out, comes twice, out of order or
// with another's index shows.
struct at_places {
  using element = int;
  struct state {
    std::uint64_t value, power;
  };
  using result = std::uint64_t;
  static constexpr bool any_order = false;
  static constexpr char const* name = "at_places";
  static constexpr std::uint64_t base = 0x9e3779b97f4a7c15;

  state identity() const { return {0, 1}; }
  state lift(int x, std::uint64_t i) const {
    return {(i + 1) * 0xbf58476d1ce4e5b9 ^ unsigned(x), base};
  }
  state combine(state s, state t) const { return {s.value * t.power + t.value, s.power * t.power}; }
  result lower(state s) const { return s.value; }
};

TEST(users_aggregate, is_given_every_elements_own_index) {
  std::vector<int> x(200'003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = int(i * i % 1009);
  std::span<int const> const all = x;
  at_places const a;
  auto so_far = a.identity();
  std::vector<std::uint64_t> forward(x.size()), backward(x.size()), out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    forward[i] = (so_far = a.combine(so_far, a.lift(x[i], i))).value;
  so_far = a.identity();
  for (std::size_t i = x.size(); i-- > 0;)
    backward[i] = (so_far = a.combine(a.lift(x[i], i), so_far)).value;
  for (int const threads : {1, 2, 4})
    for (std::size_t const length : {x.size(), std::size_t(70'001), std::size_t(999)}) {
      reducer<int, at_places> total;
      scanner<int, std::uint64_t, at_places> ahead, back({}, {.reverse = true}, x.size());
      for (std::size_t at = 0; at < x.size(); at += length) {
        auto const chunk = all.subspan(at, std::min(length, x.size() - at));
        total.add(cpu{threads}, chunk);
        ahead.inclusive(cpu{threads}, chunk, std::span(out).subspan(at, chunk.size()));
      }
      ASSERT_EQ(total.result(), forward.back()) << threads << ", " << length;
      ASSERT_TRUE(out == forward) << threads << ", " << length;
      for (std::size_t end = x.size(); end > 0;) {
        std::size_t const size = std::min(length, end);
        end -= size;
        back.inclusive(cpu{threads}, all.subspan(end, size), std::span(out).subspan(end, size));
      }
      ASSERT_TRUE(out == backward) << threads << ", " << length;
    }
}

TEST(users_aggregate, has_no_index_of_2_to_the_63_or_more) {
  std::vector<float> const five(5);
  reducer<float, arg_minimum> late({}, {}, (std::uint64_t(1) << 63) - 10);
  late.add(cpu{1}, five);
  EXPECT_THROW(late.add(cpu{1}, five), error);
}

}  // namespace
