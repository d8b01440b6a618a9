// SPDX-License-Identifier: Apache-2.0
#include "tally/rows.hpp"

#include <array>
#include <random>

#include "cpu/top_k_oracle.hpp"
#include "support/failure_of.hpp"
#include "tally/all_together.hpp"
#include "tally/automatic.hpp"
#include "tally/cpu_operators.hpp"
#include "tally/quantile.hpp"
#include "tally/row_inputs.hpp"
#include "tally/scan.hpp"
#include "tally/top_k.hpp"

namespace tally {
namespace {

using support::failure_of;
using indices = std::vector<std::int64_t>;
using counts = std::vector<std::uint64_t>;

TEST(rows, are_each_a_problem_of_their_own) {
  std::vector<std::int32_t> const x = {3, 1, 4, 9, 1, 5, 9, 2};
  auto const best = top_k(cpu{}, rows{x.data(), 2, 4}, 2);
  EXPECT_EQ(best.values, (std::vector<std::int32_t>{9, 4, 9, 5}));
  EXPECT_EQ(best.indices, (indices{3, 2, 2, 1}));
  EXPECT_EQ(best.counts, (counts{2, 2}));
}

TEST(rows, may_have_a_stride_a_start_a_length_and_a_k_of_their_own) {
  std::vector<float> const x = {3, 1, 4, 9, 1, 5, 9, 2, 6};
  indices const starts = {1, 0}, lengths = {1, 3}, ks = {2, 1};
  auto const best =
      top_k(cpu{1}, rows{x.data(), 2, 3, 5, starts.data(), lengths.data()}, {ks.data(), 2});
  EXPECT_EQ(best.counts, (counts{1, 1}));
  EXPECT_EQ(best.indices, (indices{0, -1, 1, -1}));
  EXPECT_EQ(best.values[0], 1);
  EXPECT_TRUE(is_nan(best.values[1]) && is_nan(best.values[3]));
  EXPECT_EQ(best.values[2], 9);
}

TEST(rows, of_no_elements_or_negative_ks_have_none_best_and_of_larger_ones_all) {
  std::vector<std::int32_t> const x = {3, 1, 4, 9, 1, 5, 9, 2, 6, 5, 3, 5};
  indices const lengths = {0, 3, 0, 3}, ks = {2, -1, 2, 99};
  for (int threads : {1, 8}) {
    rows const own{x.data(), 4, 3, 3, nullptr, lengths.data()};
    auto const best = top_k(cpu{threads}, own, 2);
    EXPECT_EQ(best.counts, (counts{0, 2, 0, 2}));
    EXPECT_EQ(best.indices, (indices{-1, -1, 0, 2, -1, -1, 0, 2}));
    EXPECT_EQ(best.values, (std::vector<std::int32_t>{0, 0, 9, 5, 0, 0, 5, 5}));
    auto const of_own_k = top_k(cpu{threads}, own, {ks.data(), 2});
    EXPECT_EQ(of_own_k.counts, (counts{0, 0, 0, 2}));
    EXPECT_EQ(of_own_k.indices, (indices{-1, -1, -1, -1, -1, -1, 0, 2}));
  }
}

TEST(rows, take_any_number_of_threads_and_every_option) {
  std::vector<float> x(13 * 100);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 11 == 0 ? quiet_nan<float>() : float(i * 7919 % 101);
  for (auto order : {largest, smallest})
    for (bool sorted : {true, false})
      for (bool distinct : {true, false})
        for (auto nan : {propagate, skip}) {
          top_k_options const options{order, sorted, distinct, nan};
          for (int threads : {1, 3, 20}) {
            auto const best = top_k(cpu{threads}, rows{x.data(), 13, 90, 100}, 95, options);
            for (std::size_t r = 0; r < 13; ++r) {
              auto const row = std::span<float const>(x).subspan(100 * r, 90);
              auto expected = top_k_oracle::ranked(row, options);
              if (!sorted) std::ranges::sort(expected);
              ASSERT_EQ(best.counts[r], expected.size());
              expected.resize(95, -1);
              ASSERT_EQ(indices(best.indices.begin() + std::ptrdiff_t(95 * r),
                                best.indices.begin() + std::ptrdiff_t(95 * (r + 1))),
                        expected);
            }
          }
        }
}

TEST(rows, have_indices_of_32_bits_on_request) {
  std::vector<std::uint8_t> const x = {3, 1, 4, 1, 5, 9};
  std::vector<std::uint8_t> values(4);
  std::vector<std::int32_t> at(4);
  counts found(2);
  top_k_into(cpu{}, rows{x.data(), 2, 3}, 2, values, at, found.data());
  EXPECT_EQ(at, (std::vector<std::int32_t>{2, 0, 2, 1}));
  EXPECT_EQ(values, (std::vector<std::uint8_t>{4, 3, 9, 5}));
  EXPECT_EQ(found, (counts{2, 2}));
  std::uint64_t count = 0;
  EXPECT_EQ(top_k_into(cpu{}, x, 2, values, at, &count), 2u);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(at[0], 5);
}

TEST(rows, need_room_for_k_each) {
  std::vector<float> const x(12);
  std::vector<float> values(5);
  indices at(6);
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, rows{x.data(), 3, 4}, 2, values, at, nullptr); }),
            "top_k_into: values has room for 5, k = 6");
}

// The elements of each row, one after the other, by what NumPy would do: go through all indices.
template <class T>
std::vector<std::vector<T>> elements_of(rows<T const> const& all) {
  std::vector<std::vector<T>> found;
  for (std::uint64_t r = 0; r < all.count; ++r) {
    found.emplace_back();
    for (std::uint64_t i = 0; i < all.size(r); ++i)
      found.back().push_back(all.data[all.begin(r) + std::int64_t(i) * all.step]);
  }
  return found;
}
std::vector<float> const counted = [] {
  std::vector<float> x(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
  return x;
}();

TEST(rows, are_the_lines_along_any_axis) {
  std::array<std::uint64_t, 4> const shape = {2, 3, 4, 5};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    along const lines{counted.data(), shape, axis};
    auto const found = elements_of<float>(lines);
    ASSERT_EQ(lines.count, 120 / shape[axis]);
    ASSERT_EQ(lines.length, shape[axis]);
    EXPECT_EQ(lines.end(), 120u);
    std::size_t r = 0;
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t c = 0; c < 4; ++c)
          for (std::size_t d = 0; d < 5; ++d) {
            std::array<std::size_t, 4> at = {a, b, c, d};
            if (at[axis] != 0) continue;
            for (std::size_t i = 0; i < shape[axis]; ++i) {
              at[axis] = i;
              ASSERT_EQ(found[r][i], ((at[0] * 3 + at[1]) * 4 + at[2]) * 5 + at[3]) << axis;
            }
            ++r;
          }
  }
  EXPECT_EQ(failure_of([&] { along{counted.data(), shape, 4}; }),
            "along: axis = 4 of an array of 4 dimensions");
  std::array<std::uint64_t, 3> const none = {3, 0, 2};
  EXPECT_EQ((along{counted.data(), none, 0}).count, 0u);
  EXPECT_EQ((along{counted.data(), none, 1}).length, 0u);
}

TEST(rows, may_be_columns_segments_or_go_backwards) {
  EXPECT_EQ(elements_of<float>(columns{counted.data() + 1, 2, 3, 10}),
            (std::vector<std::vector<float>>{{1, 11}, {2, 12}, {3, 13}}));
  indices const offsets = {0, 2, 2, 5, 4};  // as a gpu takes what it cannot refuse
  EXPECT_EQ(elements_of<float>(segments{counted, offsets}),
            (std::vector<std::vector<float>>{{0, 1}, {}, {2, 3, 4}, {}}));
  EXPECT_EQ(elements_of<float>(segments{counted, offsets, 2}),
            (std::vector<std::vector<float>>{{0, 1}, {}, {2, 3}, {}}));
  EXPECT_EQ((segments{counted, indices{}}).count, 0u);
  rows<float const> const back{counted.data() + 5,
                               {.count = 2, .length = 3, .stride = -3, .step = -1}};
  EXPECT_EQ(elements_of<float>(back), (std::vector<std::vector<float>>{{5, 4, 3}, {2, 1, 0}}));
  EXPECT_EQ((rows{counted.data(), 3, 4, 10}).end(), 24u);
  EXPECT_EQ((rows{counted.data(), 0, 4}).end(), 0u);
}

// Layouts of every kind over some numbers, of which many are alike.
template <class F>
void for_layouts(F f) {
  std::vector<float> x(120);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 17 == 3 ? quiet_nan<float>() : float(i * 7919 % 13) - 6;
  std::array<std::uint64_t, 3> const shape = {4, 5, 6};
  indices const offsets = {3, 3, 10, 110, 120}, starts = {0, 7, 1}, lengths = {10, 0, 30};
  f(rows<float const>(rows{x.data(), 10, 12}));
  f(rows<float const>(columns{x.data(), 10, 12}));
  for (std::size_t axis = 0; axis < 3; ++axis) f(rows<float const>(along{x.data(), shape, axis}));
  f(rows<float const>(segments{x, offsets}));
  f(rows<float const>{x.data(), 3, 30, 40, starts.data(), lengths.data()});
  f(rows<float const>{x.data() + 119, {.count = 7, .length = 9, .stride = -13, .step = -2}});
  f(rows<float const>{x.data(), {.count = 5, .length = 8, .stride = 0, .step = 3}});
}

TEST(rows, of_any_layout_give_what_each_row_alone_gives) {
  double const q = 0.3;
  for_layouts([&](rows<float const> const& all) {
    auto const each = elements_of<float>(all);
    for (int threads : {1, 16}) {
      auto const best = top_k(cpu{threads}, all, 4);
      auto const second = kth_value(cpu{threads}, all, 2);
      auto const quantiles = quantile(cpu{threads}, all, q, {.nan = skip});
      for (std::size_t r = 0; r < each.size(); ++r) {
        auto const k = std::min<std::size_t>(4, each[r].size());
        auto const alone = top_k(cpu{1}, each[r], k);
        ASSERT_EQ(best.counts[r], k);
        for (std::size_t i = 0; i < k; ++i) {
          ASSERT_EQ(best.indices[4 * r + i], alone.indices[i]);
          ASSERT_EQ(to_bits(best.values[4 * r + i]), to_bits(alone.values[i]));
        }
        ASSERT_EQ(second.indices[r], k < 2 ? -1 : kth_value(cpu{1}, each[r], 2).index);
        float const expected =
            k == 0 ? quiet_nan<float>() : quantile(cpu{1}, each[r], q, {.nan = skip});
        ASSERT_EQ(to_bits(quantiles[r]), to_bits(expected));
      }
    }
  });
}

// As many bytes, of a payload: that of each element is its address.
TEST(rows, of_any_layout_have_a_payload) {
  std::vector<std::uint32_t> places(120);
  for (std::size_t i = 0; i < 120; ++i) places[i] = std::uint32_t(i);
  columns const all{counted.data(), 10, 12};
  std::vector<float> values(12);
  std::vector<std::uint32_t> chosen(12);
  top_k_into(cpu{}, with_payload(all, places), 1, values, chosen, nullptr);
  for (std::uint32_t c = 0; c < 12; ++c) EXPECT_EQ(chosen[c], 9 * 12 + c);
  places.resize(119);
  EXPECT_EQ(failure_of([&] { with_payload(all, places); }),
            "with_payload: payload has 119 entries, where the rows end at 120");
}

struct last_but_one {  // neither commutes nor has an identity
  template <class T>
  T operator()(T a, T b) const {
    return a * 2 + b;
  }
};

TEST(rows, of_any_layout_are_scanned_each_by_itself) {
  for_layouts([&](rows<float const> const& all) {
    auto const each = elements_of<float>(all);
    std::vector<double> out(all.count * all.length, -1), totals(all.count, -1);
    rows<double> const side_by_side{out.data(), all.count, all.length};
    columns<double> const across{out.data(), all.length, all.count};
    for (bool apart : {false, true})
      for (bool reverse : {false, true})
        for (int threads : {1, 16}) {
          std::ranges::fill(out, -1);
          rows<double> const to = apart ? rows<double>(across) : side_by_side;
          scan_options<double> const how{
              .init = 0.5, .reverse = reverse, .total = totals.data(), .nan = skip};
          exclusive_scan(cpu{threads}, all, to, sum{}, how);
          std::size_t written = 0;
          for (std::size_t r = 0; r < each.size(); ++r) {
            std::vector<double> alone(each[r].size());
            double total = 0;
            auto own = how;
            own.total = &total;
            exclusive_scan(cpu{1}, each[r], alone, sum{}, own);
            for (std::size_t i = 0; i < alone.size(); ++i, ++written)
              ASSERT_EQ(to.data[to.begin(r) + std::int64_t(i) * to.step], alone[i]);
            ASSERT_EQ(totals[r], total);
          }
          ASSERT_EQ(std::ranges::count(out, -1), std::ptrdiff_t(out.size() - written));
        }
  });
}

TEST(rows, are_scanned_in_place_by_any_operator_and_need_as_many_results) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  inclusive_scan(cpu{}, columns{x.data(), 3, 2}, columns{x.data(), 3, 2}, last_but_one{});
  EXPECT_EQ(x, (std::vector<float>{1, 2, 5, 8, 15, 22}));
  EXPECT_EQ(
      failure_of([&] { inclusive_scan(cpu{}, rows{x.data(), 2, 3}, rows{x.data(), 3, 2}, sum{}); }),
      "inclusive_scan: out has 3 rows of 2 elements, in has 2 of 3");
  auto where = best();
  inclusive_scan(where, rows<float const>{x.data(), 2, 3}, rows{x.data(), 2, 3}, maximum{});
  EXPECT_EQ(x, (std::vector<float>{1, 2, 5, 8, 15, 22}));
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(rows, are_reduced_each) {
  std::vector<float> const x{3, 1, 4, 1, 5, 9, 2, 6};
  EXPECT_EQ(reduce(cpu{}, rows{x.data(), 2, 4}, maximum{}), (std::vector<float>{4, 9}));
  EXPECT_EQ(reduce(cpu{}, columns{x.data(), 2, 4}, sum{}), (std::vector<float>{8, 10, 6, 7}));
  EXPECT_EQ(reduce(cpu{}, rows{x.data(), 3, 4, 2}, arg_minimum{}), (indices{1, 1, 2}));
  EXPECT_EQ(reduce(cpu{}, rows{x.data(), 2, 4}, [](float, float b) { return b; }),
            (std::vector<float>{1, 6}));
  EXPECT_EQ(reduce(cpu{}, segments{x, indices{0, 3, 3, 8}}, sum{}), (std::vector<float>{8, 0, 23}));
}

TEST(rows, may_be_computed_while_they_are_read) {
  std::vector<float> const x{3, 1, 4, 1, 5, 9}, weight{1, 2, 3};
  auto const doubled = transform(rows{x.data(), 2, 3}, [](float v) { return 2 * v; });
  EXPECT_EQ(reduce(cpu{}, doubled, sum{}), (std::vector<float>{16, 30}));
  EXPECT_EQ(reduce(cpu{}, zip(rows{x.data(), 2, 3}, rows{weight.data(), 2, 3, 0}), dot{}),
            (std::vector<float>{17, 38}));
  EXPECT_NE(failure_of([&] {
              zip(rows{x.data(), 2, 3}, rows{x.data(), 3, 2});
            }).find("zip: a has 2 rows of 3 elements, b has 3 of 2"),
            std::string::npos);
}

TEST(rows, have_a_result_where_they_are_empty) {
  rows<float const> const none(nullptr, 2, 0);
  auto const inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(reduce(cpu{}, none, sum{}), (std::vector<float>{0, 0}));
  EXPECT_EQ(reduce(cpu{}, none, product{}), (std::vector<float>{1, 1}));
  EXPECT_EQ(reduce(cpu{}, none, minimum{}), (std::vector<float>{inf, inf}));
  EXPECT_EQ(reduce(cpu{}, none, maximum{}), (std::vector<float>{-inf, -inf}));
  EXPECT_EQ(reduce(cpu{}, rows<std::int8_t const>(nullptr, 1, 0), maximum{})[0], -128);
  EXPECT_EQ(reduce(cpu{}, none, arg_minimum{}), (indices{-1, -1}));
  EXPECT_TRUE(is_nan(reduce(cpu{}, none, mean{})[0]));
  EXPECT_TRUE(is_nan(reduce(cpu{}, none, variance{})[0]));
  EXPECT_EQ(reduce(cpu{}, none, [](float a, float b) { return a + b; }),
            (std::vector<float>{0, 0}));
  auto const [least, place, average] =
      reduce(cpu{}, none, all_together(minimum{}, arg_maximum{}, mean{}))[1];
  EXPECT_EQ(least, inf);
  EXPECT_EQ(place, -1);
  EXPECT_TRUE(is_nan(average));
  std::vector<float> const nan{quiet_nan<float>()};
  EXPECT_EQ(reduce(cpu{}, rows{nan.data(), 1, 1}, minimum{}, {skip})[0], inf);
}

TEST(results_of_rows, go_where_they_are_sent) {
  std::vector<std::int32_t> const x{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> out(5, -7);
  reduce_into(cpu{}, columns{x.data(), 2, 3}, rows<std::int64_t>(out.data(), 3, 1, 2), sum{});
  EXPECT_EQ(out, (std::vector<std::int64_t>{5, -7, 7, -7, 9}));
  std::vector<std::int64_t> few(2);
  EXPECT_NE(failure_of([&] {
              reduce_into(cpu{}, columns{x.data(), 2, 3}, few, sum{});
            }).find("reduce_into: out has 2 rows of 1 elements, not 3 of one"),
            std::string::npos);
}

// As a row by itself, whatever is beside it and however many threads there are.
TEST(rows, have_the_bits_that_each_has_alone) {
  std::mt19937_64 random(7);
  std::vector<float> x(300 * 100);
  for (float& e : x) e = std::ldexp(float(int(random())), int(random() % 40) - 60);
  std::vector<double> sums(300), alone(300);
  for (int const threads : {1, 2, 5}) {
    reduce_into(cpu{threads}, rows{x.data(), 300, 100}, sums, sum{}.as<double>());
    for (std::size_t r = 0; r < 300; ++r)
      alone[r] = reduce(cpu{}, std::span(x).subspan(r * 100, 100), sum{}.as<double>());
    EXPECT_EQ(sums, alone);
  }
}

}  // namespace
}  // namespace tally
