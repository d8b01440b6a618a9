// SPDX-License-Identifier: Apache-2.0
//
// The calls of bench/gpu/cliffs_calls.hpp run on cores, and what checks their answers sees
// mistakes.
#include "bench/gpu/cliffs_calls.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace bench {
namespace {

constexpr tally::dtype types[] = {tally::dtype::float32, tally::dtype::bfloat16, tally::dtype::int8,
                                  tally::dtype::float64};

// A matrix of values with ties, and what a call makes of it.
struct example {
  std::vector<std::byte> memory;
  matrix in;
  ends of_first_row;

  example(tally::dtype type, std::uint64_t rows, std::uint64_t length)
      : memory(rows * length * size_of(type)), in{type, memory.data(), rows, length} {
    of_first_row = with_type(type, [&]<class T>(std::type_identity<T>) {
      std::mt19937_64 random(1);
      auto* const x = reinterpret_cast<T*>(memory.data());
      for (std::uint64_t i = 0; i < in.size(); ++i) x[i] = T(double(int(random() % 201) - 100) / 4);
      return ends_of(x, length);
    });
  }
};

struct answer {
  std::vector<std::vector<std::byte>> memory;
  places out;
  answer(call const& c, decltype(call::run) const& run, matrix const& in) {
    for (auto const& each : c.out) memory.emplace_back(each.bytes());
    for (auto& each : memory) out.push_back(each.data());
    run(tally::cpu{}, in, out);
  }
};

bool is_right(call const& c, example const& x, answer const& got) {
  answer const want(c, c.exact ? c.exact : c.run, x.in);
  for (std::size_t i = 0; i < c.out.size(); ++i)
    if (!(c.near ? c.near(x.in, got.out[i], want.out[i]) : c.out[i].same(got.out[i], want.out[i])))
      return false;
  return !c.confirm || c.confirm(x.in, x.of_first_row, got.out);
}

template <class F>
void for_each_call(F f) {
  for (auto const type : types)
    for (auto const& [rows, length] : {std::pair(1, 1 << 17), {3, 5000}}) {
      example const x(type, std::uint64_t(rows), std::uint64_t(length));
      for (auto const& calls : {reductions_of(x.in), scans_of(x.in), selections_of(x.in)})
        for (auto const& each : calls) {
          SCOPED_TRACE(each.name + " of " + std::string(name(type)) + ", " + std::to_string(rows));
          f(each, x);
        }
    }
}

TEST(calls_for_cliffs, are_right_on_cores) {
  for_each_call(
      [](call const& c, example const& x) { EXPECT_TRUE(is_right(c, x, answer(c, c.run, x.in))); });
}

TEST(calls_for_cliffs, have_every_aggregate_and_names_of_their_own) {
  std::set<std::string> names;
  std::size_t count = 0;
  for_each_call([&](call const& c, example const& x) {
    names.insert(c.name);
    count += x.in.type == tally::dtype::int8 && x.in.rows == 1;
  });
  for (auto const& info : tally::aggregates()) EXPECT_EQ(names.count(std::string(info.name)), 1u);
  std::set<std::string> of_int8;
  example const x(tally::dtype::int8, 1, 3000);
  for (auto const& calls : {reductions_of(x.in), scans_of(x.in), selections_of(x.in)})
    for (auto const& each : calls) of_int8.insert(each.name);
  EXPECT_EQ(of_int8.size(), count);
}

// In the last number's highest bits, so that what need only be near sees it, too.
TEST(calls_for_cliffs, that_are_wrong_are_seen) {
  for_each_call([](call const& c, example const& x) {
    answer got(c, c.run, x.in);
    auto const& last = c.out[0].numbers.back();
    got.out[0][c.out[0].bytes() - c.out[0].stride + last.offset + last.bytes - 1] ^=
        std::byte(0x21);
    EXPECT_FALSE(is_right(c, x, got));
  });
}

TEST(checks_without_the_library, see_answers_that_are_one_place_off) {
  std::vector<float> const x{3, 1, 2, 2, 1, 5};
  EXPECT_TRUE(is_kth(x.data(), 6, 3, 2, 2));
  EXPECT_FALSE(is_kth(x.data(), 6, 3, 2, 3));
  EXPECT_FALSE(is_kth(x.data(), 6, 5, 2, 2));
  std::vector<float> const best{5, 3, 2};
  std::vector<std::int64_t> const at{5, 0, 2}, later{5, 0, 3};
  EXPECT_TRUE(are_top_k(x.data(), 6, 3, best.data(), at.data()));
  EXPECT_FALSE(are_top_k(x.data(), 6, 3, best.data(), later.data()));
  EXPECT_FALSE(are_top_k(x.data(), 6, 2, best.data() + 1, at.data() + 1));
  EXPECT_TRUE(are_quantiles(x.data(), 6, {0.5, 1}, {2, 5}));
  EXPECT_FALSE(are_quantiles(x.data(), 6, {0.5}, {2.5}));
  EXPECT_FALSE(are_quantiles(x.data(), 6, {0.5}, {1.5}));
  auto const all = ends_of(x.data(), 6);
  EXPECT_EQ(std::tuple(all.least_at, all.greatest_at, all.sum), std::tuple(1u, 5u, 14));
}

}  // namespace
}  // namespace bench
