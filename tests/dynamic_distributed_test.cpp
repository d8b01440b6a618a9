// SPDX-License-Identifier: Apache-2.0
#include "tally/dynamic_distributed.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"

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
    auto const failure = support::failure_of(
        [&] { scanner_of_slice(ranks, cpu{}, any_aggregate("sum"), own, dtype::float32); });
    EXPECT_EQ(failure, std::string(ranks.rank() ? "" : "rank 1: ") +
                           "there is no scan of int8 by sum to float32");
  });
}

}  // namespace
