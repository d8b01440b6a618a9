// SPDX-License-Identifier: Apache-2.0
//
// Sums and dot products whose last bit is all that is left, at every distance between the largest
// and the smallest element: one place that keeps a bit too few loses it. Nothing but the odd
// element is the right answer, so that no oracle is needed.
#include "tally/cpu/sum/windows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/full_window.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::full_window;

template <class T>
class windows : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(windows, floats);

// Farther apart than folds reach.
constexpr int deepest = 130;

template <class T>
constexpr int at_once = detail::reduced_at_once<T>;

template <class T>
std::vector<std::uint64_t> fractions() {
  if constexpr (sizeof(T) == 8) return {1, (1 << 25) + 1, (1 << 26) + 1};
  return {1};
}

template <class T>
void expect_odd_sum(full_window w) {
  if (!w.exists<T>() || testing::Test::HasFailure()) return;
  ASSERT_EQ(to_bits(reduce(cpu{1}, w.array<T>(), sum{})), to_bits(w.odd<T>()))
      << "top " << w.top << " depth " << w.depth << " middle " << w.middle << " lead " << w.lead
      << " before " << w.before << " fraction " << w.fraction << " negative " << w.negative;
}

// By the tile before it a sum is made to expect elements that lie `lead` binades lower, close
// together or not. It has room for two binades.
TYPED_TEST(windows, keep_the_last_bit_of_a_full_tile_at_every_depth) {
  using T = TypeParam;
  for (int depth = 0; depth <= deepest; ++depth)
    for (auto const fraction : fractions<T>())
      for (bool const negative : {false, true}) {
        full_window w{.top = sizeof(T) == 2 ? 16 : 1,
                      .depth = depth,
                      .fraction = fraction,
                      .size = at_once<T>,
                      .negative = negative};
        expect_odd_sum<T>(w);
        for (w.lead = -1; w.lead <= 5; ++w.lead)
          for (int const before : {0, 60}) w.before = before, expect_odd_sum<T>(w);
      }
}

// Of what is cut off, too, the sum is as large as can be.
TYPED_TEST(windows, keep_the_last_bit_below_every_cut) {
  using T = TypeParam;
  for (int depth = 0; depth <= deepest; ++depth)
    for (int middle = 1; middle <= depth; ++middle) {
      full_window w{.top = sizeof(T) == 2 ? 16 : 40,
                    .depth = depth,
                    .middle = middle,
                    .fraction = fractions<T>().back(),
                    .size = at_once<T>,
                    .lead = 2,
                    .negative = depth % 2 != 0};
      expect_odd_sum<T>(w);
      for (int const before : {0, 60}) w.before = before, expect_odd_sum<T>(w);
    }
}

// Where the numbers that cut would leave a double's range, or a float's.
TYPED_TEST(windows, keep_the_last_bit_at_both_ends_of_the_exponents) {
  using T = TypeParam;
  using f = format<T>;
  for (int depth = 0; depth <= deepest; depth += 3)
    for (int up = 0; up <= 30; ++up)
      for (int const middle : {0, depth / 2}) {
        full_window w{
            .top = f::bias + 1 - up, .depth = depth, .middle = middle, .size = at_once<T>};
        expect_odd_sum<T>(w);
        w.top = f::lowest + f::precision + depth + up;  // first the odd one is the least of all
        expect_odd_sum<T>(w);
        w.top = -715 + up;
        expect_odd_sum<T>(w);
      }
}

// A tile of fewer elements, and one that has been cut by a chunk's end.
TYPED_TEST(windows, keep_the_last_bit_of_tiles_of_any_size) {
  using T = TypeParam;
  for (int const size : {2, 3, 15, 31, 33, 63, 127, 255, 257, at_once<T> - 1, at_once<T> + 1})
    for (int depth = 0; depth <= 130; ++depth)
      expect_odd_sum<T>({.top = 10, .depth = depth, .size = size, .lead = 1});
}

// Products: of elements that share what a full window asks for.
template <class T>
void expect_odd_dot(full_window const& w, int exponent) {
  if (!w.exists<T>() || testing::Test::HasFailure()) return;
  auto const a = w.array<T>();
  std::vector<T> const b(a.size(), support::value<T>(1, exponent));
  double const want = double(w.odd<T>()) * std::ldexp(1.0, exponent);
  ASSERT_EQ(reduce(cpu{1}, zip(a, b), dot{}.template as<double>()), want)
      << "top " << w.top << " depth " << w.depth << " middle " << w.middle;
}

TYPED_TEST(windows, keep_the_last_bit_of_dot_products) {
  using T = TypeParam;
  for (int depth = 0; depth <= deepest; ++depth) {
    for (int const exponent : {0, -3})
      expect_odd_dot<T>({.top = 9, .depth = depth, .lead = depth % 3, .before = 60}, exponent);
    for (int middle = 1; middle < depth; middle += 1 + depth / 20)
      expect_odd_dot<T>({.top = 9, .depth = depth, .middle = middle}, 1);
  }
}

}  // namespace
