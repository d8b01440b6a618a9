// SPDX-License-Identifier: Apache-2.0
#include "tally/dynamic_rows.hpp"

#include <gtest/gtest.h>

#include "tally/tally.hpp"

namespace {

TEST(dynamic_rows, say_whether_an_order_matters_and_where_numbers_lie) {
  for (auto const& info : tally::aggregates())
    for (auto const type : info.elements) {
      auto const op = tally::any_aggregate(info.name).on(type);
      EXPECT_FALSE(op.any_order() && tally::any_reducer(op).is_ordered()) << info.name;
      std::vector<std::pair<std::string, tally::dtype>> told, found;
      for (auto const& [name, value] : op.results()) told.emplace_back(name, value.type);
      for (auto const& number : op.numbers()) {
        found.emplace_back(number.name, number.type);
        EXPECT_EQ(number.offset % tally::size_of(number.type), 0u) << info.name;
        EXPECT_LE(number.offset + tally::size_of(number.type), op.result_bytes()) << info.name;
      }
      EXPECT_EQ(told, found) << info.name;
    }
}

// The bits of the calls with types, for what is read and what is written backwards.
TEST(dynamic_rows, are_those_of_the_calls_with_types) {
  std::vector<float> x(60);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * i % 17) - 5.25f;
  tally::columns const in{x.data(), 6, 10};
  auto const ends = tally::reduce(tally::cpu{}, in, tally::min_max{});
  auto const op = tally::any_aggregate("min_max").on(tally::dtype::float32);
  ASSERT_EQ(op.result_bytes(), sizeof ends[0]);
  std::vector<float> out(20);
  tally::reduce_into(tally::cpu{}, tally::any_rows(in), &out[18],
                     {.count = 10, .length = 1, .stride = -1}, op);
  for (std::size_t r = 0; r < 10; ++r) {
    EXPECT_EQ(out[18 - 2 * r], ends[r].minimum);
    EXPECT_EQ(out[19 - 2 * r], ends[r].maximum);
  }
}

}  // namespace
