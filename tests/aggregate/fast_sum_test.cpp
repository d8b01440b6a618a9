// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/fast_sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <optional>
#include <random>

#include "cpu/operators.hpp"
#include "support/normal.hpp"
#include "tally/cpu_operators.hpp"
#include "tally/state.hpp"

namespace {

using namespace tally;
using operators::sizes;
using support::normal;

// The aligned tree by its definition: elements [0, 2^k) are those of the left half, then of the
// right.
template <class T>
std::optional<T> tree(std::vector<T> const& x, std::size_t first, std::size_t width) {
  if (first >= x.size()) return std::nullopt;
  if (width == 1) return x[first];
  auto const left = tree(x, first, width / 2), right = tree(x, first + width / 2, width / 2);
  return right ? T(*left + *right) : left;
}

template <class T>
void expect_aligned_tree() {
  std::mt19937_64 random(4);
  for (std::size_t const n : sizes) {
    auto const x = normal<T>(n);
    T const want = n ? *tree(x, 0, std::bit_ceil(n)) : T{};
    for (int const threads : {1, 2, 4})
      EXPECT_EQ(to_bits(reduce(cpu{threads}, x, fast_sum{})), to_bits(want)) << n;
    if (n) {
      EXPECT_EQ(to_bits(reduce(cpu{2}, x, std::plus<T>{})), to_bits(want)) << n;
    }
    reducer<T, fast_sum> pieces;
    for (std::size_t at = 0; at < n;) {
      std::size_t const length = std::min<std::size_t>(1 + random() % 3000, n - at);
      reducer<T, fast_sum> next({}, {}, at);
      next.add(cpu{2}, std::span(x).subspan(at, length));
      pieces.append(next);
      at += length;
    }
    EXPECT_EQ(to_bits(pieces.result()), to_bits(want)) << n;
  }
}

TEST(fast_sum, is_the_aligned_tree_for_any_split_and_number_of_threads) {
  expect_aligned_tree<float>();
  expect_aligned_tree<double>();
}

}  // namespace
