// SPDX-License-Identifier: Apache-2.0
//
// Every number of elements that a small array can have on its way through nodes, parts of nodes and
// vectors, against the aligned tree by its definition.
#include "tally/cpu/tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "support/normal.hpp"
#include "tally/cpu_operators.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::normal;

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> out;
  for (std::size_t n = 1; n <= 600; ++n) out.push_back(n);
  for (std::size_t const n : {1024, 4096, 8192, 65536})
    for (std::size_t const near : {n - 1, n, n + 1, n + 17}) out.push_back(near);
  return out;
}

// Half-precision sums are of floats, rounded at the end.
template <class T>
using state_of = std::conditional_t<sizeof(T) == 2, float, T>;

// The node over x[first, first + width): nothing if no element is there, or all are skipped.
template <class T, class F>
std::optional<state_of<T>> node(std::vector<T> const& x, std::size_t first, std::size_t width,
                                bool skips, F op) {
  if (first >= x.size() || (width == 1 && skips && is_nan(x[first]))) return std::nullopt;
  if (width == 1) return state_of<T>(double(x[first]));
  auto const left = node(x, first, width / 2, skips, op);
  auto const right = node(x, first + width / 2, width / 2, skips, op);
  if (!left || !right) return left ? left : right;
  return state_of<T>(op(*left, *right));
}

template <class T, class F>
auto root_bits(std::vector<T> const& x, bool skips, state_of<T> of_nothing, F op) {
  auto const root = node(x, 0, std::bit_ceil(x.size()), skips, op);
  return to_bits(convert<T>(root.value_or(of_nothing)));
}

constexpr auto plus = [](auto a, auto b) { return a + b; };
constexpr auto times = [](auto a, auto b) { return a * b; };

template <class T>
void expect_tree(std::vector<T> const& x, nan_policy nan) {
  cpu const one{1};
  bool const skips = nan == skip;
  auto const sum_bits = root_bits<T>(x, skips, 0, plus);
  ASSERT_EQ(to_bits(reduce(one, x, fast_sum{}, {nan})), sum_bits) << x.size();
  ASSERT_EQ(to_bits(reduce(one, transform(x, [](T v) { return v; }), fast_sum{}, {nan})), sum_bits)
      << x.size();
  ASSERT_EQ(to_bits(reduce(one, x, product{}, {nan})), root_bits<T>(x, skips, 1, times))
      << x.size();
  // In two parts, which take nodes one by one.
  reducer<T, fast_sum> parts({}, {nan});
  parts.add(one, std::span(x).first(x.size() / 3));
  parts.add(one, std::span(x).subspan(x.size() / 3));
  ASSERT_EQ(to_bits(parts.result()), sum_bits) << x.size();
}

template <class T>
void expect_trees() {
  for (std::size_t const n : sizes()) {
    std::vector<T> x(n);
    auto const values = normal<double>(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(float(1 + values[i] / 8));
    expect_tree(x, propagate);
    for (std::size_t i = 0; i < n; i += 3) x[i] = quiet_nan<T>();
    expect_tree(x, skip);
  }
}

TEST(tree, of_any_size_has_the_bits_of_its_definition_in_float32) { expect_trees<float>(); }
TEST(tree, of_any_size_has_the_bits_of_its_definition_in_float64) { expect_trees<double>(); }
TEST(tree, of_any_size_has_the_bits_of_its_definition_in_halves) {
  expect_trees<float16>();
  expect_trees<bfloat16>();
}

TEST(tree, of_negative_zeros_infinities_and_nan_is_what_ieee_addition_says) {
  float const inf = std::numeric_limits<float>::infinity();
  for (std::size_t const n : {1, 15, 16, 17, 255, 256, 257}) {
    std::vector<float> x(n, -0.0f);
    EXPECT_EQ(to_bits(reduce(cpu{1}, x, fast_sum{})), 0u) << n;  // of zeros, +0.0
    x.back() = inf;
    EXPECT_EQ(reduce(cpu{1}, x, fast_sum{}), inf) << n;
    x.front() = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(to_bits(reduce(cpu{1}, x, fast_sum{})), to_bits(quiet_nan<float>())) << n;
  }
}

// Neither commutes; one has no identity, the other has.
struct last {
  int operator()(int, int b) const { return b; }
};
struct first_positive {
  int operator()(int a, int b) const { return a > 0 ? a : b; }
  int identity() const { return 0; }
};

TEST(tree, of_a_users_operator_keeps_the_order_of_the_elements) {
  for (std::size_t const n : sizes()) {
    std::vector<int> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = int(i) + 1;
    ASSERT_EQ(reduce(cpu{1}, x, last{}), x.back()) << n;
    for (std::size_t const zeros : {n / 3, n - 1}) {
      std::fill_n(x.begin(), zeros, 0);
      ASSERT_EQ(reduce(cpu{1}, x, first_positive{}), int(zeros) + 1) << n;
    }
  }
}

}  // namespace
