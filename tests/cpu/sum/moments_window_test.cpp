// SPDX-License-Identifier: Apache-2.0
//
// Sums of squares are compared bit for bit before they are rounded: squares do not cancel, so that
// no result shows the last one.
#include "tally/cpu/sum/moments_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/full_window.hpp"
#include "support/whole.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::full_window;

template <class T>
using state = typename moments<T, true>::state;

template <class T>
state<T> reduced(std::vector<T> const& x) {
  return reduce(cpu{1}, x, moments_state{});
}

template <class T>
void expect_exact(std::vector<T> const& x, char const* what, int number) {
  if (testing::Test::HasFailure()) return;
  auto const s = reduced(x);
  support::exact_moments<T> exact;
  exact.add(x);
  support::whole sum, squares;
  set(sum, s.sum.finite), set(squares, s.squares.finite);
  ASSERT_TRUE(sum == exact.sum) << what << ' ' << number;
  ASSERT_TRUE(squares == exact.squares) << what << ' ' << number;
}

template <class T>
class moments_windows : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(moments_windows, floats);

template <class T>
constexpr int at_once = detail::reduced_at_once<T>;

// A significand whose square, cut at 2^cut, leaves nearly half of that, and more than any other
// that is tried.
template <class T>
std::uint64_t left_by_a_cut(int cut) {
  constexpr int precision = format<T>::precision;
  if (cut >= 2 * precision) return (std::uint64_t(1) << precision) - 1;
  using wide = unsigned __int128;
  std::uint64_t random = 1, best = std::uint64_t(1) << (precision - 1);
  wide most = 0;
  for (int i = 0; i < 1000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t const x =
        (random >> (64 - precision)) | (std::uint64_t(1) << (precision - 1)) | 1;
    wide const left = wide(x) * x & ((wide(1) << cut) - 1);
    if (left < wide(1) << (cut - 1) && left > most) most = left, best = x;
  }
  return best;
}

// The elements but the first and the odd one are the worst for the folds' cut, which lies 2 top -
// 41 and less; for the errors of doubles' squares it lies 53 lower.
template <class T>
std::vector<T> worst_tile(full_window const& w, bool errors) {
  auto x = w.tile<T>();
  constexpr int precision = format<T>::precision, bits = detail::tile_bits + (sizeof(T) < 8);
  int const unit = 2 * (w.top - w.middle - precision);
  int const cut = 2 * w.top - (errors ? 53 : 0) + bits - 51 - unit;
  if (cut <= 0) return x;
  T const filler = support::value<T>(left_by_a_cut<T>(cut), w.top - w.middle - precision);
  T const before = x[1];
  for (T& e : x)
    if (to_bits(e) == to_bits(before)) e = filler;
  return x;
}

// The window that a tile before it makes has room for one binade.
TYPED_TEST(moments_windows, keep_the_last_bit_of_every_square) {
  using T = TypeParam;
  for (int depth = 0; depth <= 30; ++depth)
    for (int lead = 0; lead <= 3; ++lead)
      for (std::uint64_t const fraction : {1, (1 << 26) + 1}) {
        if (fraction >> (format<T>::precision - 1)) continue;
        full_window const w{.top = 9,
                            .depth = depth,
                            .fraction = fraction,
                            .size = at_once<T>,
                            .lead = lead,
                            .before = 0};
        if (w.exists<T>()) expect_exact(w.array<T>(), "depth", depth);
      }
}

TYPED_TEST(moments_windows, keep_what_is_below_every_cut) {
  using T = TypeParam;
  for (int depth = 0; depth <= 30; ++depth)
    for (int middle = 0; middle <= depth; ++middle)
      for (bool const errors : {false, true}) {
        full_window const w{
            .top = 9, .depth = depth, .middle = middle, .size = at_once<T>, .lead = 1};
        if (!w.exists<T>()) continue;
        auto x = std::vector<T>(std::size_t(w.size));  // a window that is made for up to 2^top
        x[0] = support::value<T>(1, w.top - 2);
        auto const tile = worst_tile<T>(w, errors);
        x.insert(x.end(), tile.begin(), tile.end());
        expect_exact(x, "depth", depth);
      }
}

TYPED_TEST(moments_windows, keep_squares_at_both_ends_of_the_exponents) {
  using T = TypeParam;
  using f = format<T>;
  std::vector<int> tops;
  for (int k = 0; k < 24; k += 2) tops.insert(tops.end(), {f::bias + 1 - k, f::lowest + 60 + k});
  if constexpr (sizeof(T) == 8)
    for (int const middle : {510, 400, -320, -348, -375, -450, -470})
      for (int k = -6; k <= 6; ++k) tops.push_back(middle + k);
  for (int const top : tops)
    for (int const depth : {0, 9, 15, 16}) {
      full_window const w{
          .top = top, .depth = depth, .fraction = f::fraction & 0x4000001u, .size = at_once<T>};
      if (w.exists<T>()) expect_exact(worst_tile<T>(w, true), "top", top);
    }
}

// As many as are taken apart, and a few more or less; nothing but time depends on which way they
// go.
TYPED_TEST(moments_windows, add_every_outlier_once) {
  using T = TypeParam;
  if (sizeof(T) == 2 && format<T>::precision == 11) return;  // all halves fit one window
  constexpr int most = 20, apart = at_once<T> / (most + 1) | 1;
  for (int count = 0; count <= most; ++count)
    for (int const exponent : {-100, 60}) {
      std::vector<T> x(4 * at_once<T>, T(1.25));
      for (int tile = 0; tile < 4; ++tile)
        for (int i = 0; i < count; ++i)
          x[std::size_t(tile * at_once<T> + apart * i)] =
              support::value<T>(2 * std::uint64_t(i) + 1, exponent);
      auto const before = detail::path_count(detail::path::squares_fast);
      expect_exact(x, "outliers", count);
      auto const fast = detail::path_count(detail::path::squares_fast) - before;
      ASSERT_EQ(fast, count <= 16 ? 4u : 0u) << count << " outliers at 2^" << exponent;
    }
}

}  // namespace
