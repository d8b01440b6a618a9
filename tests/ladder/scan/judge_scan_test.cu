// SPDX-License-Identifier: Apache-2.0
#include "ladder/scan/judge_scan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <vector>

#include "ladder/scan/scan.cuh"
#include "ladder/verify.hpp"

namespace ladder::scan {
namespace {

template <class T, class Result>
bool accepts(operation op, data kind, std::vector<T> const& in, std::vector<Result> const& out,
             form gives = {}) {
  problem const given{.op = op,
                      .type = std::is_same_v<T, float> ? element::float32 : element::int32,
                      .n = in.size()};
  auto const bytes = [](auto const& values) { return std::as_bytes(std::span(values)); };
  return judge_scan(gives, {given, kind, bytes(in), bytes(out)}).right;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
std::vector<float> const floats{1, -3, 2};
std::vector<int> const ints{5, 2, 2147483647};
using wide = std::vector<long long>;
using narrow = std::vector<float>;

TEST(ladder_scan_judge, wants_every_result_and_the_total) {
  EXPECT_TRUE(accepts(operation::sum, data::plain, floats, narrow{1, -2, 0, 0}));
  for (int i = 0; i < 4; ++i) {
    narrow out{1, -2, 0, 0};
    out[i] += 1;
    EXPECT_FALSE(accepts(operation::sum, data::plain, floats, out)) << i;
  }
  EXPECT_TRUE(accepts(operation::sum, data::plain, floats, narrow{1, -2, 0}, {.total = false}));
}

TEST(ladder_scan_judge, wants_an_exclusive_scan_to_begin_with_the_identity) {
  form const exclusive{.exclusive = true};
  EXPECT_TRUE(
      accepts(operation::maximum, data::plain, floats, narrow{-infinity, 1, 1, 2}, exclusive));
  EXPECT_FALSE(accepts(operation::maximum, data::plain, floats, narrow{0, 1, 1, 2}, exclusive));
  EXPECT_FALSE(accepts(operation::maximum, data::plain, floats, narrow{1, 1, 2, 2}, exclusive));
  EXPECT_TRUE(accepts(operation::minimum, data::plain, std::vector<float>{}, narrow{infinity}));
}

TEST(ladder_scan_judge, wants_integer_sums_of_64_bits) {
  EXPECT_TRUE(accepts(operation::sum, data::hard, ints, wide{5, 7, 2147483654, 2147483654}));
  EXPECT_FALSE(accepts(operation::sum, data::hard, ints, wide{5, 7, -2147483642, -2147483642}));
}

TEST(ladder_scan_judge, knows_the_order_of_a_recurrence) {
  // y -> 5 - y, y -> 2 + y, y -> 2147483647 - y, from 0 on.
  EXPECT_TRUE(
      accepts(operation::recurrence, data::plain, ints, wide{5, 7, 2147483640, 2147483640}));
  EXPECT_FALSE(
      accepts(operation::recurrence, data::plain, ints, wide{5, 3, 2147483640, 2147483640}));
  EXPECT_TRUE(accepts(operation::recurrence, data::plain, floats, narrow{1, -4, -2, -2}));
}

TEST(ladder_scan_judge, takes_only_nans_behind_a_nan_and_none_before) {
  std::vector<float> const in{1, not_a_number, 2};
  float const none = not_a_number;
  for (auto const op :
       {operation::sum, operation::minimum, operation::maximum, operation::recurrence}) {
    EXPECT_TRUE(accepts(op, data::nan, in, narrow{1, none, none, none}));
    EXPECT_FALSE(accepts(op, data::nan, in, narrow{none, none, none, none}));
    EXPECT_FALSE(accepts(op, data::nan, in, narrow{1, none, 3, none}));
  }
}

TEST(ladder_scan_judge, allows_each_hard_sum_the_rounding_errors_of_its_own_elements) {
  std::vector<float> const in{1, -1, 1024};
  float const allowed = 2 * 2 * 0x1p-24f;
  EXPECT_TRUE(accepts(operation::sum, data::hard, in, narrow{1, allowed, 1024, 1024}));
  EXPECT_FALSE(accepts(operation::sum, data::hard, in, narrow{1, 2 * allowed, 1024, 1024}));
}

// Planted: one thread, which does it in its own way.
template <class Kernel>
bool verified(operation op, Kernel kernel) {
  rung const r = scan_rung(
      {.id = "test/planted", .title = "", .bound = ""}, [=](problem const& p, auto chosen) {
        using Op = decltype(chosen);
        if constexpr (std::is_same_v<Op, recurrence<int>>)
          tally::launch(kernel, p.grid, 1, 0, p.stream)(elements_of<Op>(p), p.n, results_of<Op>(p));
      });
  input_store inputs;
  return verify(r, {.op = op, .type = element::int32, .n = 100}, inputs).verified;
}

__device__ void scan_alone(int const* in, std::size_t n, long long* out, bool in_order) {
  recurrence<int> const op;
  auto all = op.identity();
  for (std::size_t i = 0; i < n; ++i) {
    auto const x = op.lift(in[i]);
    all = in_order ? op(all, x) : op(x, all);
    out[i] = op.finish(all);
  }
  out[n] = op.finish(all);
}
__global__ void in_order(int const* in, std::size_t n, long long* out) {
  if (blockIdx.x == 0) scan_alone(in, n, out, true);
}
__global__ void operands_swapped(int const* in, std::size_t n, long long* out) {
  if (blockIdx.x == 0) scan_alone(in, n, out, false);
}
__global__ void one_result_too_many(int const* in, std::size_t n, long long* out) {
  if (blockIdx.x != 0) return;
  scan_alone(in, n, out, true);
  out[n + 1] = 0;
}
__global__ void one_result_before(int const* in, std::size_t n, long long* out) {
  if (blockIdx.x != 0) return;
  scan_alone(in, n, out, true);
  if ((reinterpret_cast<std::uintptr_t>(out) & 15) != 0) out[-1] = 0;
}

TEST(ladder_scan_verify, accepts_a_scan_that_is_right) {
  EXPECT_TRUE(verified(operation::recurrence, in_order));
}
TEST(ladder_scan_verify, refuses_operands_in_the_wrong_order) {
  EXPECT_FALSE(verified(operation::recurrence, operands_swapped));
}
TEST(ladder_scan_verify, refuses_what_writes_beside_its_results) {
  EXPECT_FALSE(verified(operation::recurrence, one_result_too_many));
  EXPECT_FALSE(verified(operation::recurrence, one_result_before));
}

}  // namespace
}  // namespace ladder::scan
