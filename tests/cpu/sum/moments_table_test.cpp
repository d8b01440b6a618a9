// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/sum/moments_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/full_window.hpp"
#include "support/whole.hpp"
#include "tally/cpu/reduce.hpp"
#include "tally/definition/moments.hpp"

namespace {

using namespace tally;

template <class T>
class moments_tables : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(moments_tables, floats);

// As in large_superaccumulator_test.cpp.
template <class T>
void expect_room_for(std::vector<T> const& x, int tiles) {
  detail::moments_table<T> table;
  typename moments<T, true>::state s;
  for (int i = 0; i < tiles; ++i)
    table.add(tile<T, propagate, 16, detail::reduced_at_once<T>>{x.data(), int(x.size()), 0}, s);
  table.flush(s);
  support::exact_moments<T> exact;
  exact.add(x, tiles);
  support::whole sum, squares;
  set(sum, s.sum.finite), set(squares, s.squares.finite);
  ASSERT_TRUE(sum == exact.sum) << double(x[0]) << ' ' << x.size();
  ASSERT_TRUE(squares == exact.squares) << double(x[0]) << ' ' << x.size();
}

TYPED_TEST(moments_tables, are_emptied_before_a_sum_overflows) {
  using T = TypeParam;
  using f = format<T>;
  constexpr auto size = std::size_t(detail::reduced_at_once<T>);
  constexpr int tiles = (sizeof(T) == 8 ? 9 : 3) * ((1 << 20) / int(size));
  T const greatest = from_bits<T>(f::infinity - 1), subnormal = from_bits<T>(f::fraction);
  for (T const e : {support::minus(greatest), T(1.0), subnormal})
    expect_room_for(std::vector<T>(size, e), tiles);
}

TYPED_TEST(moments_tables, tell_every_exponent_and_sign_from_every_other) {
  using T = TypeParam;
  using f = format<T>;
  std::vector<T> x;
  for (int field = 0; field < f::max_field; ++field) {
    T const e = from_bits<T>(bits_of<T>(bits_of<T>(field) << (f::precision - 1) | f::fraction));
    x.insert(x.end(), {e, e, support::minus(e)});
  }
  for (std::size_t i = 0; i < x.size(); i += 500)
    expect_room_for(
        std::vector<T>(x.begin() + long(i), x.begin() + long(std::min(x.size(), i + 500))), 3);
}

}  // namespace
