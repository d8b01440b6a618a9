// SPDX-License-Identifier: Apache-2.0
#include "tally/span.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "support/failure_of.hpp"
#include "support/strided.hpp"
#include "tally/dynamic.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

using support::failure_of;
using support::refusal;
using support::row;

TEST(unaligned_arrays, are_refused_and_named_by_every_call) {
  alignas(float) std::byte bytes[16] = {};
  std::span const in(reinterpret_cast<float*>(bytes + 1), 3);
  std::vector<float> aligned(3);
  char where[24];
  std::snprintf(where, sizeof where, "%p", static_cast<void*>(bytes + 1));
  auto const refusal = [&](std::string const& argument) {
    return argument + " = " + where + " is not aligned to its elements of 4 bytes";
  };
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, in, sum{}); }), refusal("sum: in"));
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, in, aligned, sum{}); }),
            refusal("inclusive_scan: in"));
  EXPECT_EQ(failure_of([&] { exclusive_scan(cpu{}, aligned, in, sum{}); }),
            refusal("exclusive_scan: out"));
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, in, 1); }), refusal("top_k: in"));
  EXPECT_EQ(failure_of([&] { selector<float>(1).add(cpu{}, in); }), refusal("selector: in"));
}

template <class T>
std::vector<T> counted(std::size_t n) {
  std::vector<T> x(n);
  std::iota(x.begin(), x.end(), T(1));
  return x;
}

class strided : public testing::Test {
 protected:
  std::vector<float> floats = counted<float>(6);
  std::vector<std::int64_t> integers = counted<std::int64_t>(6);
  row<float> x{floats.data(), 3, 2}, one{floats.data(), 2, 2};
  row<std::int64_t> at{integers.data(), 3, 2};
  std::vector<float> const plain = {3, 1, 2};
  std::vector<float> room = std::vector<float>(3);
  std::vector<std::int64_t> places = std::vector<std::int64_t>(3);
  std::vector<double> const half = {0.5}, doubles = std::vector<double>(6);
  row<double const> odd_places{doubles.data(), 3, 2};

  // What is refused in each place, and how the place is called.
  template <class Where>
  void expect_refusals(Where& here) {
    std::map<std::string, std::function<void()>> const calls = {
        {"reduce_into: out", [&] { reduce_into(here, plain, one, sum{}); }},
        {"zip: a", [&] { zip(x, plain); }},
        {"zip: b", [&] { zip(plain, x); }},
        {"transform: x", [&] { transform(x, square{}); }},
        {"inclusive_scan: in", [&] { inclusive_scan(here, x, room, sum{}); }},
        {"inclusive_scan: out", [&] { inclusive_scan(here, plain, x, sum{}); }},
        {"exclusive_scan: in", [&] { exclusive_scan(here, x, room, plus{}); }},
        {"exclusive_scan: out", [&] { exclusive_scan(here, plain, x, plus{}); }},
        {"top_k: in", [&] { top_k(here, x, 1); }},
        {"top_k_into: in", [&] { top_k_into(here, x, 1, room, places); }},
        {"top_k_into: values", [&] { top_k_into(here, plain, 3, x, places); }},
        {"top_k_into: indices", [&] { top_k_into(here, plain, 3, room, at); }},
        {"with_payload: keys", [&] { with_payload(x, places); }},
        {"with_payload: payload", [&] { with_payload(plain, at); }},
        {"top_k_into: chosen", [&] { top_k_into(here, with_payload(plain, places), 3, room, at); }},
        {"kth_value: in", [&] { kth_value(here, x, 1); }},
        {"kth_value_into: in", [&] { kth_value_into(here, x, 1, room, places); }},
        {"kth_value_into: values", [&] { kth_value_into(here, plain, 1, x, places); }},
        {"kth_value_into: indices", [&] { kth_value_into(here, plain, 1, room, at); }},
        {"quantile: in", [&] { quantile(here, x, 0.5); }},
        {"quantile_into: in", [&] { quantile_into(here, x, half, room); }},
        {"quantile_into: out", [&] { quantile_into(here, plain, half, x); }},
        {"quantile: qs", [&] { quantile(here, plain, odd_places); }},
        {"median: in", [&] { median(here, x); }},
    };
    for (auto const& [argument, call] : calls) {
      int const size = argument == "reduce_into: out" ? 2 : 3;
      EXPECT_EQ(failure_of(call), refusal(argument, size));
    }
  }
};

TEST_F(strided, is_refused_in_every_place_of_every_call_and_nothing_is_written) {
  auto here = cpu{};
  expect_refusals(here);
  EXPECT_EQ(failure_of([&] { reduce(here, x, sum{}); }), refusal("sum: in", 3));
  EXPECT_EQ(failure_of([&] { reduce(here, x, larger{}); }), refusal("operator: in", 3));
  auto const both = all_together(minimum{}, sum{});
  EXPECT_EQ(failure_of([&] { reduce(here, x, both); }), refusal("minimum: in", 3));
  EXPECT_EQ(floats, counted<float>(6));
  EXPECT_EQ(integers, counted<std::int64_t>(6));
}

TEST_F(strided, is_refused_where_the_call_finds_out_where_it_runs) {
  auto where = best();
  expect_refusals(where);
  EXPECT_EQ(failure_of([&] { reduce(where, x, sum{}); }), refusal("reduce: in", 3));
  EXPECT_EQ(floats, counted<float>(6));
}

TEST_F(strided, is_refused_with_rows_too) {
  rows const all{plain.data(), 1, 3};
  auto const refused = [&](auto&&... arguments) {
    return failure_of([&] { top_k_into(cpu{}, arguments..., nullptr); });
  };
  EXPECT_EQ(refused(all, 3, x, places), refusal("top_k_into: values", 3));
  EXPECT_EQ(refused(all, 3, room, at), refusal("top_k_into: indices", 3));
  EXPECT_EQ(refused(with_payload(all, places), 3, room, at), refusal("top_k_into: chosen", 3));
  EXPECT_EQ(failure_of([&] { with_payload(all, at); }), refusal("with_payload: payload", 3));
  EXPECT_EQ(failure_of([&] { kth_value_into(cpu{}, all, 1, x, places); }),
            refusal("kth_value_into: values", 3));
  EXPECT_EQ(failure_of([&] { quantile_into(cpu{}, all, half, x); }),
            refusal("quantile_into: out", 3));
  EXPECT_EQ(floats, counted<float>(6));
}

TEST_F(strided, is_refused_in_instalments_and_by_run_time_types) {
  EXPECT_EQ(failure_of([&] { reducer<float, sum>{}.add(cpu{}, x); }), refusal("sum: in", 3));
  EXPECT_EQ(failure_of([&] { selector<float>(1).add(cpu{}, x); }), refusal("selector: in", 3));
  scanner<float, float, sum> running;
  EXPECT_EQ(failure_of([&] { running.inclusive(cpu{}, x, room); }),
            refusal("inclusive_scan: in", 3));
  EXPECT_EQ(failure_of([&] { running.exclusive(cpu{}, plain, x); }),
            refusal("exclusive_scan: out", 3));
  EXPECT_EQ(failure_of([&] { any_array{x}; }), refusal("any_array: r", 3));
}

TEST_F(strided, is_taken_where_there_is_nothing_between_its_elements) {
  row<float> const all{floats.data(), 6, 1}, last{&floats[5], 1, 7}, none{nullptr, 0, -3};
  EXPECT_EQ(reduce(cpu{}, all, sum{}), 21);
  EXPECT_EQ(reduce(cpu{}, last, sum{}), 6);
  EXPECT_EQ(reduce(cpu{}, none, sum{}), 0);
  inclusive_scan(cpu{}, all, all, sum{});
  EXPECT_EQ(floats, (std::vector<float>{1, 3, 6, 10, 15, 21}));
  reduce_into(cpu{}, plain, last, maximum{});
  EXPECT_EQ(floats[5], 3);
}

}  // namespace
}  // namespace tally
