// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/sum/large_superaccumulator.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/full_window.hpp"
#include "support/whole.hpp"
#include "tally/cpu/reduce.hpp"
#include "tally/exact/exact_state.hpp"

namespace {

using namespace tally;

template <class T>
class large_superaccumulators : public testing::Test {};
using floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(large_superaccumulators, floats);

// A tile of x, so often that one sum of the table alone is given more than it has room for: nothing
// may be lost before it is emptied.
template <class T>
void expect_room_for(std::vector<T> const& x, int tiles) {
  detail::large_superaccumulator<T> table;
  exact_state<T> s;
  for (int i = 0; i < tiles; ++i)
    table.add(tile<T, propagate, 16, detail::reduced_at_once<T>>{x.data(), int(x.size()), 0}, s);
  table.flush(s);
  support::exact_moments<T> exact;
  exact.add(x, tiles);
  support::whole sum;
  set(sum, s.finite);
  ASSERT_TRUE(sum == exact.sum) << double(x[0]) << ' ' << x.size();
}

TYPED_TEST(large_superaccumulators, are_emptied_before_a_sum_overflows) {
  using T = TypeParam;
  using f = format<T>;
  constexpr auto size = std::size_t(detail::reduced_at_once<T>);
  constexpr int tiles = 5 * (1 << 19) / int(size);
  T const greatest = from_bits<T>(f::infinity - 1), one = T(1.0);
  T const least = from_bits<T>(1), subnormal = from_bits<T>(f::fraction);
  for (T const e : {greatest, support::minus(greatest), one, subnormal, support::minus(least)})
    expect_room_for(std::vector<T>(size, e), tiles);
}

// Exponents that share a sum, one shifted farther than the other.
TYPED_TEST(large_superaccumulators, tell_every_exponent_and_sign_from_every_other) {
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
