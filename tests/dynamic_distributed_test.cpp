// SPDX-License-Identifier: Apache-2.0
#include "tally/dynamic_distributed.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"
#include "tally/automatic.hpp"

namespace {

using namespace tally;
using support::slice_of;

TEST(reducers_of_ranks, have_the_results_of_one_call) {
  auto const x = support::state_values<float>(2000, true, 1);
  for (char const* const name : {"sum", "fast_sum", "arg_minimum", "variance", "describe"})
    run_ranks(4, [&](communicator& ranks) {
      auto const op = any_aggregate(name).on(dtype::float32);
      auto const own = slice_of(ranks, std::span(x));
      any_reducer mine(op, {skip}, std::uint64_t(own.data() - x.data()));
      if (!mine.is_ordered()) mine = any_reducer(op, {skip});
      mine.add(cpu{}, any_array(own));
      auto const all = reducer_of_all(ranks, mine);
      auto const want = reduce(cpu{}, any_array(x), op, {skip});
      EXPECT_EQ(all.count(), 2000u);
      EXPECT_TRUE(std::ranges::equal(all.result(), want, [](auto const& a, auto const& b) {
        return a.value == b.value;
      })) << name;
    });
}

TEST(reducers_of_ranks, count_indices_from_where_rank_0_begins) {
  run_ranks(3, [](communicator& ranks) {
    std::vector<float> const own{1, 5.f + float(ranks.rank())};
    any_reducer mine(any_aggregate("arg_maximum").on(dtype::float32), {}, 100);
    mine.add(cpu{1}, any_array(own));
    auto const all = reducer_of_all(ranks, mine);
    EXPECT_EQ(all.first(), 100u);
    EXPECT_EQ(all.result().value().as<std::int64_t>(), 105);
  });
}

template <class T>
void expect_scan(char const* name, bool exclusive) {
  auto const x = support::state_values<T>(3000, true, 2);
  for (bool const reverse : {false, true}) {
    std::vector<T> want(x.size()), got(x.size());
    any_number total;
    any_scan_options const how{
        .init = any_number(T(1)), .reverse = reverse, .total = &total, .nan = skip};
    any_aggregate const op(name);
    any_output const room{dtype_of<T>, want.data(), want.size()};
    exclusive ? exclusive_scan(cpu{}, any_array(x), room, op, how)
              : inclusive_scan(cpu{}, any_array(x), room, op, how);
    run_ranks(5, [&](communicator& ranks) {
      any_array const own(slice_of(ranks, std::span<T const>(x)));
      auto const to = slice_of(ranks, std::span(got));
      any_number sum_of_all;
      auto options = how;
      options.total = &sum_of_all;
      auto here = scanner_of_slice(ranks, cpu{1}, op, own, dtype_of<T>, options);
      any_output const out{dtype_of<T>, to.data(), to.size()};
      exclusive ? here.exclusive(cpu{}, own, out) : here.inclusive(cpu{}, own, out);
      EXPECT_EQ(sum_of_all, total);
    });
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << name;
  }
}

TEST(scanners_of_slices, give_the_bits_of_one_call) {
  for (bool const exclusive : {false, true}) {
    expect_scan<float>("sum", exclusive);
    expect_scan<double>("maximum", exclusive);
    expect_scan<std::int16_t>("sum", exclusive);
    expect_scan<std::uint64_t>("product", exclusive);
  }
}

TEST(scanners_of_slices, fail_on_all_ranks_where_one_fails) {
  std::vector<float> const x(3);
  std::vector<std::int8_t> const y(3);
  run_ranks(2, [&](communicator& ranks) {
    auto const own = ranks.rank() ? any_array(y) : any_array(x);
    auto const to_float = [&](any_array const& slice) {
      return support::failure_of(
          [&] { scanner_of_slice(ranks, cpu{}, any_aggregate("sum"), slice, dtype::float32); });
    };
    EXPECT_EQ(to_float(own), "scan: in is of int8 on rank 1, and of float32 on rank 0");
    any_array const odd(dtype::float32, reinterpret_cast<char const*>(x.data()) + 1, 2);
    auto const failure = to_float(ranks.rank() ? odd : any_array(x));
    EXPECT_NE(failure.find("is not aligned to its elements of 4 bytes"), std::string::npos)
        << failure;
    EXPECT_EQ(failure.starts_with("rank 1: "), ranks.rank() == 0);
  });
}

// Rank 0 has nothing before it to look at.
TEST(scanners_of_slices, of_other_types_fail_on_all_ranks) {
  std::vector<float> const x(3);
  std::vector<double> const y(3);
  run_ranks(2, [&](communicator& ranks) {
    auto const own = ranks.rank() ? any_array(y) : any_array(x);
    EXPECT_EQ(support::failure_of([&] {
                scanner_of_slice(ranks, cpu{}, any_aggregate("sum"), own, dtype::float64);
              }),
              "scan: in is of float64 on rank 1, and of float32 on rank 0");
  });
}

void expect_found(any_top_k_result const& got, any_top_k_result const& want) {
  EXPECT_TRUE(std::ranges::equal(got.indices, want.indices));
  ASSERT_EQ(got.values.type, want.values.type);
  ASSERT_EQ(got.values.size, want.values.size);
  auto const bytes = std::size_t(want.values.size * size_of(want.values.type));
  EXPECT_EQ(std::memcmp(got.values.data, want.values.data, bytes), 0);
}

TEST(selections_of_ranks, are_those_of_one_call) {
  auto const x = support::state_values<float>(2000, true, 3);
  std::vector<double> const qs{0, 0.3, 1};
  for (bool const smallest_first : {false, true})
    run_ranks(4, [&](communicator& ranks) {
      auto const own = slice_of(ranks, std::span(x));
      any_array const slice(own), whole(x);
      auto const order = smallest_first ? smallest : largest;
      auto const anywhere = best();
      for (auto const& where : {any_where(cpu{1}), any_where(anywhere)})
        for (std::uint64_t const k : {0, 7, 1500})
          expect_found(top_k(ranks, where, slice, k, {order}), top_k(cpu{}, whole, k, {order}));
      any_selector mine(dtype::float32, 7, {order}, std::uint64_t(own.data() - x.data()));
      mine.add(cpu{1}, slice);
      expect_found(selector_of_all(ranks, mine).result(), top_k(cpu{}, whole, 7, {order}));
      auto const kth = kth_value(ranks, cpu{1}, slice, 1000, {order});
      EXPECT_EQ(kth.index, kth_value(cpu{}, whole, 1000, {order}).index);
      EXPECT_EQ(kth.value, kth_value(cpu{}, whole, 1000, {order}).value);
      EXPECT_EQ(quantile(ranks, cpu{1}, slice, qs, {.nan = skip}),
                quantile(cpu{}, whole, qs, {.nan = skip}));
    });
}

TEST(selections_of_ranks, are_of_one_type) {
  std::vector<std::uint8_t> const x{3, 1, 2};
  std::vector<float> const y{1, 2, 3};
  run_ranks(2, [&](communicator& ranks) {
    auto const qs = std::vector{0.5};
    EXPECT_EQ(quantile(ranks, cpu{1}, any_array(x), qs, {.method = interpolation::lower})[0],
              any_number(std::uint8_t(2)));
    auto const own = ranks.rank() ? any_array(y) : any_array(x);
    std::string const why = ": in is of float32 on rank 1, and of uint8 on rank 0";
    EXPECT_EQ(support::failure_of([&] { top_k(ranks, cpu{1}, own, 1); }), "top_k" + why);
    EXPECT_EQ(support::failure_of([&] { kth_value(ranks, cpu{1}, own, 1); }), "kth_value" + why);
    EXPECT_EQ(support::failure_of([&] { quantile(ranks, cpu{1}, own, qs); }), "quantile" + why);
  });
}

}  // namespace
