// SPDX-License-Identifier: Apache-2.0
//
// Elements of types that only count as Tally's, long long and std::byte, in every place of every
// call: the answers are those of the arrays of std::int64_t, std::uint64_t and std::uint8_t.
#include "tally/known_elements.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "tally/dynamic.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

// Integers of 64 bits that std::int64_t and std::uint64_t are not, whichever those are.
using other = std::conditional_t<std::is_same_v<std::int64_t, long>, long long, long>;
using other_unsigned = std::make_unsigned_t<other>;

static_assert(std::is_same_v<counts_as<other>, std::int64_t>);
static_assert(std::is_same_v<counts_as<other_unsigned>, std::uint64_t>);
static_assert(std::is_same_v<counts_as<std::byte>, std::uint8_t>);
static_assert(std::is_same_v<counts_as<std::int64_t>, std::int64_t>);
static_assert(std::is_same_v<counts_as<char>, char> && std::is_same_v<counts_as<wchar_t>, wchar_t>);
static_assert(
    std::is_same_v<counts_as<zipped<other, std::byte>>, zipped<std::int64_t, std::uint8_t>>);

template <class T>
class counted : public testing::Test {
 protected:
  using known = counts_as<T>;

  // Elements of all bits, with ties.
  counted() {
    for (unsigned i = 0; i < 1000; ++i) {
      auto const bits = std::uint64_t(i % 90) * 0x9e3779b97f4a7c15u;
      x.push_back(T(bits)), y.push_back(known(bits));
    }
  }
  static std::vector<known> knowing(std::vector<T> const& v) {
    std::vector<known> all;
    for (T const e : v) all.push_back(known(e));
    return all;
  }

  cpu const here{2};
  std::vector<T> x;
  std::vector<known> y;
};
using types = testing::Types<other, other_unsigned, std::byte>;
TYPED_TEST_SUITE(counted, types);

TYPED_TEST(counted, elements_are_reduced) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  using known = counts_as<TypeParam>;
  auto const same = [&](auto op) {
    auto const found = reduce(here, x, op);
    static_assert(std::is_same_v<decltype(found), decltype(reduce(here, y, op)) const>);
    EXPECT_EQ(found, reduce(here, y, op));
    EXPECT_EQ(reduce(best(), x, op), found);
    auto into = found;
    into = {};
    reduce_into(here, x, &into, op);
    EXPECT_EQ(into, found);
  };
  same(sum{}), same(fast_sum{}), same(product{}), same(mean{}), same(variance{}), same(norm{});
  same(minimum{}), same(maximum{}), same(arg_maximum{}), same(peak_to_peak{}), same(bit_xor{});
  same(count_nonzero{}), same(sum_of_squares{});
  EXPECT_EQ(reduce(here, zip(x, x), dot{}), reduce(here, zip(y, y), dot{}));
  EXPECT_EQ(reduce(here, zip(x, y), dot{}), reduce(here, zip(y, y), dot{}));
  auto const [total, least] = reduce(here, x, all_together(sum{}, minimum{}));
  EXPECT_EQ(total, reduce(here, y, sum{}));
  EXPECT_EQ(least, reduce(here, y, minimum{}));
  reducer<known, sum> parts;
  parts.add(here, x);
  parts.add(here, transform(x, absolute{}));
  reducer<known, sum> known_parts;
  known_parts.add(here, y);
  known_parts.add(here, transform(y, absolute{}));
  EXPECT_EQ(parts.result(), known_parts.result());
}

TYPED_TEST(counted, results_are_written) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  std::vector<TypeParam> one(1);
  reduce_into(here, x, one, maximum{});
  EXPECT_EQ(counts_as<TypeParam>(one[0]), reduce(here, y, maximum{}));
  TypeParam least{};
  reduce_into(here, y, &least, minimum{});
  EXPECT_EQ(counts_as<TypeParam>(least), reduce(here, y, minimum{}));
  other index = -1;
  reduce_into(here, x, &index, arg_minimum{});
  EXPECT_EQ(index, reduce(here, y, arg_minimum{}));
}

TYPED_TEST(counted, elements_are_scanned) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  using T = TypeParam;
  using known = counts_as<T>;
  std::vector<T> out(x.size());
  std::vector<known> wanted(x.size());
  inclusive_scan(here, x, out, sum{});
  inclusive_scan(here, y, wanted, sum{});
  EXPECT_EQ(this->knowing(out), wanted);
  inclusive_scan(best(), x, out, maximum{});
  inclusive_scan(here, y, wanted, maximum{});
  EXPECT_EQ(this->knowing(out), wanted);

  T total{};
  known known_total = 0;
  exclusive_scan(here, x, out, sum{}, {.init = T(5), .reverse = true, .total = &total});
  exclusive_scan(here, y, wanted, sum{},
                 {.init = known(5), .reverse = true, .total = &known_total});
  EXPECT_EQ(this->knowing(out), wanted);
  EXPECT_EQ(known(total), known_total);
  exclusive_scan(here, transform(x, [](T e) { return e; }), out, sum{});
  exclusive_scan(here, y, wanted, sum{});
  EXPECT_EQ(this->knowing(out), wanted);

  std::vector<std::int32_t> const small = {1, -2, 3};
  std::vector<other> wide(3);
  inclusive_scan(here, small, wide, sum{});
  EXPECT_EQ(wide, (std::vector<other>{1, -1, 2}));
  scanner<known, known, sum> running;
  running.inclusive(here, x, out);
  inclusive_scan(here, y, wanted, sum{});
  EXPECT_EQ(this->knowing(out), wanted);
}

TYPED_TEST(counted, elements_are_selected) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  using T = TypeParam;
  auto const wanted = top_k(here, y, 100);
  auto const found = top_k(here, x, 100);
  EXPECT_EQ(found.values, wanted.values);
  EXPECT_EQ(found.indices, wanted.indices);
  EXPECT_EQ(top_k(best(), transform(x, [](T e) { return e; }), 100).values, wanted.values);
  selector<counts_as<T>> best_of_all(100);
  best_of_all.add(here, x);
  EXPECT_EQ(std::move(best_of_all).result().indices, wanted.indices);

  std::vector<T> values(100);
  std::vector<other> indices(100);
  std::vector<std::int32_t> short_indices(100);
  std::vector<std::int64_t> const known_indices = wanted.indices;
  EXPECT_EQ(top_k_into(here, x, 100, values, indices), 100u);
  EXPECT_EQ(this->knowing(values), wanted.values);
  EXPECT_TRUE(std::ranges::equal(indices, known_indices));
  std::ranges::fill(values, T(1));
  top_k_into(here, x, 100, values, short_indices);
  EXPECT_EQ(this->knowing(values), wanted.values);
  EXPECT_TRUE(std::ranges::equal(short_indices, known_indices));

  auto const places = [&] {
    std::vector<other> all(x.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = other(i);
    return all;
  }();
  std::vector<other> chosen(100);
  top_k_into(here, with_payload(x, places), 100, values, chosen);
  EXPECT_TRUE(std::ranges::equal(chosen, known_indices));
  std::vector<std::int64_t> known_chosen(100);
  top_k_into(best(), with_payload(x, places), 100, values, known_chosen);
  EXPECT_EQ(known_chosen, known_indices);
}

TYPED_TEST(counted, rows_are_selected_from) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  using T = TypeParam;
  rows const all{x.data(), 10, 100};
  rows const known{y.data(), 10, 100};
  auto const wanted = top_k(here, known, 7);
  EXPECT_EQ(top_k(here, all, 7).values, wanted.values);
  EXPECT_EQ(top_k(here, all, k_of_rows{nullptr, 7}).indices, wanted.indices);
  std::vector<T> values(70);
  std::vector<other> indices(70), payload(x.size(), 3), chosen(70);
  top_k_into(here, all, 7, values, indices, nullptr);
  EXPECT_EQ(this->knowing(values), wanted.values);
  EXPECT_TRUE(std::ranges::equal(indices, wanted.indices));
  top_k_into(here, with_payload(all, payload), 7, values, chosen, nullptr);
  EXPECT_EQ(chosen, std::vector<other>(70, 3));

  EXPECT_EQ(kth_value(here, all, 3).values, kth_value(here, known, 3).values);
  EXPECT_EQ(quantile(here, all, 0.25), quantile(here, known, 0.25));
  EXPECT_EQ(median(here, all), median(here, known));
}

TYPED_TEST(counted, elements_have_places) {
  auto const& [here, x, y] = std::tie(this->here, this->x, this->y);
  auto const wanted = kth_value(here, y, 321);
  EXPECT_EQ(kth_value(here, x, 321).value, wanted.value);
  EXPECT_EQ(kth_value(best(), x, 321).index, wanted.index);
  TypeParam value[1];
  other index[1];
  kth_value_into(here, x, 321, value, index);
  EXPECT_EQ(counts_as<TypeParam>(value[0]), wanted.value);
  EXPECT_EQ(index[0], wanted.index);
  EXPECT_EQ(median(here, x), median(here, y));
  EXPECT_EQ(quantile(here, x, 0.3), quantile(here, y, 0.3));
  double out[1];
  quantile_into(here, x, std::array{0.7}, out);
  EXPECT_EQ(out[0], quantile(here, y, 0.7));
}

TYPED_TEST(counted, arrays_have_run_time_types) {
  any_array const all(this->x);
  EXPECT_EQ(all.type, dtype_of<counts_as<TypeParam>>);
  EXPECT_EQ(all.size, this->x.size());
}

// Operators of one's own are given what is there, and give it back.
TEST(operators, get_the_elements_that_are_there) {
  std::vector<other> const x = {1, 2, 3};
  auto const found = reduce(cpu{}, x, [](other a, other b) { return a + b; });
  static_assert(std::is_same_v<decltype(found), other const>);
  EXPECT_EQ(found, 6);
  std::vector<std::byte> const bytes = {std::byte(1), std::byte(6)};
  EXPECT_EQ(reduce(cpu{}, bytes, [](std::byte a, std::byte b) { return a | b; }), std::byte(7));
  std::vector<other> out(3);
  inclusive_scan(cpu{}, x, out, [](other a, other b) { return a * b; });
  EXPECT_EQ(out, (std::vector<other>{1, 2, 6}));
  std::vector<char> const text = {'a', 'z', 'c'};
  EXPECT_EQ(reduce(cpu{}, text, [](char a, char b) { return a < b ? b : a; }), 'z');
  EXPECT_EQ(reduce(cpu{}, transform(text, [](char c) { return c == 'z'; }), count_nonzero{}), 1u);
  auto const sums = transform(zip(x, x), [](zipped<other, other> p) { return p.first + p.second; });
  EXPECT_EQ(reduce(cpu{}, sums, sum{}), 12);
}

// What is written as one type and read as another: were it not for settle_memory(), a compiler
// could take one access past the other.
TEST(memory, is_settled_between_calls) {
  other x[] = {3, 4}, out[2] = {}, total = 0;
  for (other i = 0; i < 100; ++i) {
    x[0] = i;
    inclusive_scan(cpu{1}, x, out, sum{}, {.total = &total});
    ASSERT_EQ(out[1], i + 4);
    ASSERT_EQ(total, i + 4);
    x[1] = i;
    reduce_into(cpu{1}, x, &total, maximum{});
    ASSERT_EQ(total, i);
    x[1] = 4;
    std::int32_t at[1];
    other value[1] = {-1};
    top_k_into(cpu{1}, x, 1, value, at);
    ASSERT_EQ(value[0], std::max<other>(i, 4));
  }
}

}  // namespace
}  // namespace tally
