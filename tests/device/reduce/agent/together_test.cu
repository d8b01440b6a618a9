// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/agent/together.cuh"

#include <algorithm>
#include <random>

#include "support/device_reduce.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"

namespace {

using namespace support;

template <class T>
void expect_bits(T const& got, T const& want, char const* what) {
  EXPECT_EQ(memcmp(&got, &want, sizeof want), 0) << what;
}

// Element by element, from the left, on the host.
template <class T, class Op>
auto fold(std::vector<T> const& in, Op const& op, tally::nan_policy nan) {
  auto const a = op.template on<T>();
  auto s = a.identity();
  for (std::size_t i = 0; i < in.size(); ++i)
    if (nan == tally::propagate || !tally::is_nan(in[i])) s = a.combine(s, a.lift(in[i], i));
  return a.lower(s);
}

template <class T>
void expect_all(std::vector<T> const& in, test_call& call, tally::nan_policy nan, int offset = 0) {
  auto const one = [&](auto const& op) { return fold(in, op, nan); };
  auto const a =
      tally::all_together(tally::maximum{}, tally::sum{}, tally::arg_minimum{}, tally::variance{1},
                          tally::mean{}, tally::norm{}, tally::count_nonzero{})
          .template on<T>();
  auto const got = run_on_device(a, in, call, nan, offset);
  ASSERT_TRUE(got.found);
  auto const& [most, total, at, spread, middle, length, nonzero] = got.result;
  expect_bits(most, one(tally::maximum{}), "maximum");
  expect_bits(total, one(tally::sum{}), "sum");
  expect_bits(at, one(tally::arg_minimum{}), "arg_minimum");
  expect_bits(spread, one(tally::variance{1}), "variance");
  expect_bits(middle, one(tally::mean{}), "mean");
  expect_bits(length, one(tally::norm{}), "norm");
  expect_bits(nonzero, one(tally::count_nonzero{}), "count_nonzero");
}

template <class T>
void expect_description(std::vector<T> const& in, test_call& call, tally::nan_policy nan) {
  auto const want = fold(in, tally::describe{1}, nan);
  auto const got = run_on_device(tally::describe{1}.on<T>(), in, call, nan);
  ASSERT_TRUE(got.found);
  EXPECT_EQ(got.result.count, want.count);
  std::size_t const nans =
      std::count_if(in.begin(), in.end(), [](T x) { return tally::is_nan(x); });
  EXPECT_EQ(got.result.nan_count, nans);
  expect_bits(got.result.sum, want.sum, "sum");
  expect_bits(got.result.mean, want.mean, "mean");
  expect_bits(got.result.standard_deviation, want.standard_deviation, "standard_deviation");
  expect_bits(got.result.minimum, want.minimum, "minimum");
  expect_bits(got.result.maximum, want.maximum, "maximum");
  EXPECT_EQ(got.result.minimum_index, want.minimum_index);
  EXPECT_EQ(got.result.maximum_index, want.maximum_index);
}

TEST(together_on_a_device, is_what_separate_calls_give) {
  test_call call(2);
  for (std::size_t const n : {1, 33, 4096, 16411}) {
    expect_all(values<float>(kind::wide, n), call, tally::propagate, 1);
    expect_description(values<float>(kind::wide, n), call, tally::propagate);
    std::vector<std::int16_t> integers(n);
    for (std::size_t i = 0; i < n; ++i) integers[i] = std::int16_t(i * 40503 - 7);
    expect_all(integers, call, tally::propagate);
    expect_description(integers, call, tally::propagate);
  }
}

TEST(together_on_a_device, counts_the_nan_of_every_block) {
  test_call call(5);
  expect_description(values<float>(kind::nans, 50000), call, tally::propagate);
  expect_description(values<float>(kind::nans, 50000), call, tally::skip);
}

TEST(together_on_a_device, finds_the_first_of_equal_ends_in_many_tiles) {
  test_call call(1);
  std::mt19937 random(1);
  float one = 1;  // or -1: zeros are the greatest, not the least
  for (int few : {2, 3, 20, 1000, 2000, 3000, 4000, 5000}) {
    one = -one;
    std::vector<float> in(70'000, one);
    for (int i = 0; i < few; ++i) {
      float const values[] = {0.0f, -0.0f, 2 * one, tally::quiet_nan<float>()};
      in[random() % in.size()] = values[random() % 4];
    }
    expect_description(in, call, tally::propagate);
    expect_description(in, call, tally::skip);
  }
}

TEST(together_on_a_device, finds_ends_that_are_those_of_the_type) {
  test_call call(2);
  for (std::int16_t const all : {32767, -32768})
    for (std::size_t const n : {1, 100, 20001})
      expect_description(std::vector<std::int16_t>(n, all), call, tally::propagate);
}

TEST(together_on_a_device, is_what_separate_calls_give_of_any_bits) {
  test_call call(2);
  for (kind const which : {kind::any_bits, kind::nans, kind::infinities, kind::zeros}) {
    for (tally::nan_policy const nan : {tally::propagate, tally::skip}) {
      expect_all(values<float>(which, 4097), call, nan);
      expect_all(values<double>(which, 2049), call, nan);
      expect_description(values<double>(which, 2049), call, nan);
      expect_description(values<tally::float16>(which, 8193), call, nan);
      expect_description(values<tally::bfloat16>(which, 8193), call, nan);
    }
  }
}

TEST(together_on_a_device, of_nan_that_are_skipped_has_no_answer) {
  test_call call(2);
  std::vector<float> const in(1000, tally::quiet_nan<float>());
  EXPECT_FALSE(run_on_device(tally::all_together(tally::sum{}, tally::mean{}).on<float>(), in, call,
                             tally::skip)
                   .found);
  EXPECT_FALSE(run_on_device(tally::all_together(tally::minimum{}, tally::sum{}).on<float>(), in,
                             call, tally::skip)
                   .found);
  EXPECT_FALSE(run_on_device(tally::describe{}.on<float>(), in, call, tally::skip).found);
  EXPECT_TRUE(run_on_device(tally::all_together(tally::sum{}, tally::any_of{}).on<float>(), in,
                            call, tally::skip)
                  .found);
}

TEST(together_on_a_device, of_many_results_has_each_where_it_was_asked_for) {
  test_call call(2);
  auto const in = values<float>(kind::normal, 5000);
  auto const a =
      tally::all_together(tally::sum{}, tally::sum{}.as<double>(), tally::minimum{}).on<float>();
  auto const got = run_on_device(a, in, call).result;
  EXPECT_EQ(get<0>(got), fold(in, tally::sum{}, tally::propagate));
  EXPECT_EQ(get<1>(got), fold(in, tally::sum{}.as<double>(), tally::propagate));
  EXPECT_EQ(get<2>(got), fold(in, tally::minimum{}, tally::propagate));
}

TEST(together_on_a_device, keeps_the_tree_of_an_ordered_aggregate) {
  test_call call(2);
  auto const in = values<float>(kind::wide, 5001);
  auto const a = tally::all_together(tally::fast_sum{}, tally::sum{}, tally::minimum{}).on<float>();
  auto const got = run_on_device(a, in, call, tally::propagate, 1).result;
  EXPECT_EQ(get<0>(got), run_on_device(tally::fast_sum{}.on<float>(), in, call).result);
  EXPECT_EQ(get<1>(got), fold(in, tally::sum{}, tally::propagate));
  EXPECT_EQ(get<2>(got), fold(in, tally::minimum{}, tally::propagate));
}

template <class T, class... Op>
void expect_states(Op const&... op) {
  test_call call(2);
  auto const a = tally::all_together(op...).template on<T>();
  for (kind which : {kind::normal, kind::any_and_infinities, kind::nans})
    for (std::size_t n : {1, 20000}) {
      auto const in = values<T>(which, n);
      auto const [total, other, of_moments] = run_on_device(a, in, call).result;
      auto const bytes = [](auto const& of, auto const& s) {
        return bytes_of(of.template on<T>(), s);
      };
      EXPECT_EQ(bytes(tally::sum_state{}, total),
                bytes(tally::sum_state{}, fold(in, tally::sum_state{}, tally::propagate)));
      EXPECT_EQ(bytes(tally::moments_state{}, of_moments),
                bytes(tally::moments_state{}, fold(in, tally::moments_state{}, tally::propagate)));
    }
}
TEST(several_on_a_device, give_states_of_the_same_bytes) {
  expect_states<float>(tally::sum_state{}, tally::mean{}, tally::moments_state{});
  expect_states<double>(tally::sum_state{}, tally::minimum{}, tally::moments_state{});
}

}  // namespace
