// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/exact_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/mpfr_oracle.hpp"
#include "tally/tally.hpp"

namespace {

using tally::exact_state;

// Elements of any finite bits; half of them are met again with the other sign.
template <class T>
std::vector<T> random_elements(std::mt19937_64& random, std::size_t n) {
  using f = tally::format<T>;
  std::vector<T> x;
  while (x.size() < n) {
    auto const b = typename f::bits(random());
    T const e = tally::from_bits<T>(b);
    if (!tally::is_finite(e)) continue;
    x.push_back(e);
    if (random() % 2) x.push_back(tally::from_bits<T>(typename f::bits(b ^ f::sign)));
  }
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

template <class T>
exact_state<T> state_of(std::vector<T> const& x) {
  exact_state<T> s;
  for (T const e : x) s.add(e);
  return s;
}

template <class T>
class exact_state_test : public testing::Test {};
using floats = testing::Types<tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(exact_state_test, floats);

TYPED_TEST(exact_state_test, sums_equal_mpfr_sum) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 400; ++i) {
    auto const x = random_elements<TypeParam>(random, random() % 300);
    auto const s = state_of(x);
    EXPECT_EQ(tally::to_bits(s.result()), tally::to_bits(mpfr_oracle::sum<TypeParam>(x)));
    EXPECT_EQ(tally::to_bits(s.template result<float>()),
              tally::to_bits(mpfr_oracle::sum<float>(x)));
    EXPECT_EQ(tally::to_bits(s.template result<double>()),
              tally::to_bits(mpfr_oracle::sum<double>(x)));
  }
}

TYPED_TEST(exact_state_test, merging_sending_and_carrying_leave_no_trace) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    auto const x = random_elements<TypeParam>(random, random() % 200);
    auto const want = state_of(x).serialise();
    std::vector<exact_state<TypeParam>> parts(1 + random() % 7);
    for (auto const e : x) parts[random() % parts.size()].add(e);
    while (parts.size() > 1) {
      auto const right = parts.back();
      parts.pop_back();
      auto& left = parts[random() % parts.size()];
      if (random() % 3 == 0) left.finite.carry();
      if (random() % 3 == 0) left = exact_state<TypeParam>::deserialise(left.serialise());
      left.merge(right);
    }
    EXPECT_EQ(parts.front().serialise(), want);
  }
}

TYPED_TEST(exact_state_test, specials_are_counted_and_win) {
  using T = TypeParam;
  T const inf = tally::infinity<T>(), minus = tally::infinity<T>(true);
  T const one = T(1.0),
          nan = tally::from_bits<T>(tally::format<T>::infinity | 1 | tally::format<T>::sign);
  auto const bits = [](std::vector<T> const& x) { return tally::to_bits(state_of(x).result()); };
  EXPECT_EQ(bits({one, inf, one}), tally::to_bits(inf));
  EXPECT_EQ(bits({minus, one}), tally::to_bits(minus));
  EXPECT_EQ(bits({minus, one, inf}), tally::format<T>::quiet_nan);
  EXPECT_EQ(bits({one, nan}), tally::format<T>::quiet_nan);
  EXPECT_EQ(bits({nan, inf}), tally::format<T>::quiet_nan);
  EXPECT_EQ(bits({}), 0u);
  EXPECT_EQ(bits({T(-0.0), T(-0.0)}), 0u);
}

TYPED_TEST(exact_state_test, many_deposits_at_the_extremes_keep_their_carries) {
  using T = TypeParam;
  T const greatest = tally::from_bits<T>(tally::format<T>::infinity - 1);
  T const least = tally::from_bits<T>(1);
  exact_state<T> s;
  for (int i = 0; i < 100; ++i) s.add(greatest), s.add(least);
  auto twice = s;
  for (int i = 0; i < 40; ++i) twice.merge(exact_state<T>(twice));  // 2^40 times as much
  EXPECT_TRUE(tally::to_bits(twice.result()) == tally::format<T>::infinity);
  auto negative = exact_state<T>::deserialise(twice.serialise());
  for (auto& d : negative.finite.digit) d = -d;
  EXPECT_EQ(tally::to_bits(negative.result()), tally::to_bits(tally::infinity<T>(true)));
  negative.merge(twice);
  EXPECT_EQ(negative.serialise(), exact_state<T>{}.serialise());
}

TYPED_TEST(exact_state_test, bytes_that_are_no_state_are_rejected) {
  using state = exact_state<TypeParam>;
  auto const good = state_of<TypeParam>({TypeParam(1.5)}).serialise();
  for (std::size_t n = 0; n < good.size(); ++n)
    EXPECT_THROW(state::deserialise(std::span(good).first(n)), tally::error);
  auto longer = good;
  longer.push_back({});
  EXPECT_THROW(state::deserialise(longer), tally::error);
  for (std::size_t i = 0; i < 5; ++i) {  // the mark and the element type
    auto bad = good;
    bad[i] ^= std::byte(0x10);
    EXPECT_THROW(state::deserialise(bad), tally::error);
  }
  for (std::uint64_t const top : {1ull << 62, ~0ull >> 1, 1ull << 63}) {  // the last 8 bytes
    auto forged = good;
    for (std::size_t i = 0; i < 8; ++i) forged[good.size() - 8 + i] = std::byte(top >> 8 * i);
    EXPECT_THROW(state::deserialise(forged), tally::error) << top;
  }
}

TEST(exact_state, takes_narrower_types) {
  exact_state<double> s;
  s.add(1e300);
  s.add(0.1f);
  s.add(tally::float16(0.5));
  s.add(tally::bfloat16(-3.0));
  s.add(std::int64_t(-7));
  s.add(true);
  s.add(-1e300);
  EXPECT_EQ(s.result(), double(0.1f) - 8.5);
}

// A state and one of narrower elements, both with carries to move, are as if one had taken all.
template <class Narrow, class Wide>
void expect_merges() {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    auto const few = random_elements<Narrow>(random, 1 + random() % 300);
    exact_state<Narrow> narrow;
    exact_state<Wide> wide, all;
    for (int i = 0; i < 2000; ++i) wide.add(Wide{1}), all.add(Wide{1});
    for (Narrow const x : few) narrow.add(x), all.add(x);
    for (Narrow const x : {tally::quiet_nan<Narrow>(), tally::infinity<Narrow>(round % 2)})
      if (round % 3 == 0) narrow.add(x), all.add(x);
    wide.merge(narrow);
    EXPECT_EQ(wide.serialise(), all.serialise());
  }
}
TEST(exact_state, takes_states_of_narrower_types) {
  expect_merges<tally::float16, float>();
  expect_merges<tally::float16, double>();
  expect_merges<tally::bfloat16, float>();
  expect_merges<tally::bfloat16, double>();
  expect_merges<float, double>();
}

TEST(exact_state, of_integers_is_exact_beyond_64_bits) {
  exact_state<std::int64_t> s;
  exact_state<std::uint64_t> u;
  for (int i = 0; i < 3; ++i) {
    s.add(std::numeric_limits<std::int64_t>::min());
    u.add(std::numeric_limits<std::uint64_t>::max());
  }
  EXPECT_EQ(s.result(), -3 * std::ldexp(1.0, 63));
  EXPECT_EQ(u.result(), 3 * std::ldexp(1.0, 64));
  EXPECT_EQ(u.finite.modulo_2_64(), std::uint64_t(-3));
}

TEST(exact_state, of_another_type_is_named) {
  auto const bytes = exact_state<float>{}.serialise();
  try {
    exact_state<double>::deserialise(bytes);
    FAIL();
  } catch (tally::error const& e) {
    EXPECT_NE(std::string(e.what()).find("float64"), std::string::npos) << e.what();
  }
}

// Tiles of every kind, one after the other: close together at some height, wide, anywhere, zeros;
// with NaNs, with infinities.
template <class T>
std::vector<T> tiles_of_every_kind(std::mt19937_64& random, std::size_t n) {
  using f = tally::format<T>;
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n;) {
    std::size_t const end = std::min(n, i + 1 + random() % 6000);
    int const widths[] = {1, 3, 10, 40, 100, 3 * f::max_field};
    int const width = std::min(f::max_field, widths[random() % 6]);
    int const low = int(random() % unsigned(f::max_field - width + 1));
    int const nans = random() % 2 ? 0 : 100, infinities = random() % 8 ? 0 : 1000;
    bool const zeros = random() % 8 == 0;
    for (; i < end; ++i) {
      auto const field = typename f::bits(low + int(random() % unsigned(width)));
      auto b = typename f::bits((random() & (f::sign | f::fraction)) | field << (f::precision - 1));
      if (zeros) b &= f::sign;
      if (nans && random() % 100 == 0) b |= typename f::bits(f::infinity | 1);
      if (infinities && random() % 1000 == 0) b = typename f::bits(f::infinity | (b & f::sign));
      x[i] = tally::from_bits<T>(b);
    }
  }
  return x;
}

template <class T>
class states_of : public testing::Test {};
using floats = testing::Types<tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(states_of, floats);

// Which is also what a merge of parts adds: every count, and every bit.
TYPED_TEST(states_of, a_reduction_are_those_of_its_elements_one_by_one) {
  using T = TypeParam;
  std::mt19937_64 random(21);
  for (int i = 0; i < 60; ++i) {
    auto const x = tiles_of_every_kind<T>(random, random() % 40000);
    std::size_t const from = std::min<std::size_t>(x.size(), random() % 40);
    std::vector<T> const part(x.begin() + from, x.end()), kept = [&] {
      std::vector<T> out;
      for (T const e : part)
        if (!tally::is_nan(e)) out.push_back(e);
      return out;
    }();
    std::span<T const> const in(x.data() + from, part.size());
    tally::cpu const where{1 + i % 8};
    EXPECT_EQ(tally::reduce(where, in, tally::sum_state{}).serialise(), state_of(part).serialise());
    EXPECT_EQ(tally::reduce(where, in, tally::sum_state{}, {.nan = tally::skip}).serialise(),
              state_of(kept).serialise());
  }
}

// What fills every bit that a window has: many elements just below a cut, all of one sign, a large
// one, and a few that are as small as can be.
TYPED_TEST(states_of, a_reduction_keeps_what_is_far_below) {
  using T = TypeParam;
  using f = tally::format<T>;
  auto const with_field = [](int field, int fraction) {
    return tally::from_bits<T>(typename f::bits(typename f::bits(field) << (f::precision - 1) |
                                                (f::fraction & typename f::bits(fraction))));
  };
  int const top = std::min(f::max_field - 1, f::bias + 60), most = std::min(top - 1, 140);
  for (int gap = 1; gap <= most; gap += 1 + gap / 60)
    for (int middle = 1; middle <= gap; middle += 1 + middle / 25) {
      std::vector<T> x(3 * 2048, with_field(top - middle, -1));
      for (std::size_t i = 5; i < x.size(); i += 1024) x[i] = with_field(top, -1);
      for (std::size_t i = 9; i < x.size(); i += 101) x[i] = with_field(top - gap, 1);
      ASSERT_EQ(tally::reduce(tally::cpu{1}, x, tally::sum_state{}).serialise(),
                state_of(x).serialise())
          << gap << ' ' << middle;
    }
}

}  // namespace
