// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include "tally/tally.hpp"

namespace {

using namespace tally;

template <class T>
struct array {  // unlike std::vector<bool>, one that has a pointer
  std::unique_ptr<T[]> data;
  std::size_t size;
  operator std::span<T const>() const { return {data.get(), size}; }
};

template <class T>
array<T> random_bits(std::size_t n, int probability_of_0) {
  std::mt19937_64 random(n);
  array<T> x{std::make_unique<T[]>(n), n};
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random();
    for (int k = 1; k < probability_of_0; ++k) bits &= random();
    x.data[i] = T(bits);
  }
  return x;
}

template <class T>
struct bits_of_integers : testing::Test {};
using integers = testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(bits_of_integers, integers);

// Against std::accumulate, over arrays with few ones, which `or` does not saturate at once.
TYPED_TEST(bits_of_integers, are_those_of_a_plain_loop_for_any_number_of_threads) {
  using T = TypeParam;
  for (std::size_t const n : {1, 2, 31, 511, 512, 513, 70'001})
    for (int const zeros : {1, 20}) {
      auto const x = random_bits<T>(n, zeros);
      std::span<T const> const in = x;
      array<T> flipped{std::make_unique<T[]>(n), n};
      for (std::size_t i = 0; i < n; ++i) flipped.data[i] = T(T(-1) ^ in[i]);
      std::span<T const> const nearly_ones = flipped;
      auto const loop = [](auto const& a, T start, auto op) {
        return std::accumulate(a.begin(), a.end(), start, [&](T l, T r) { return T(op(l, r)); });
      };
      for (int const threads : {1, 2, 5}) {
        cpu const here{threads};
        EXPECT_EQ(reduce(here, in, tally::bit_or{}), loop(in, T(0), std::bit_or{})) << n;
        EXPECT_EQ(reduce(here, in, tally::bit_xor{}), loop(in, T(0), std::bit_xor{})) << n;
        EXPECT_EQ(reduce(here, nearly_ones, tally::bit_and{}),
                  loop(nearly_ones, T(-1), std::bit_and{}))
            << n;
      }
    }
}

TYPED_TEST(bits_of_integers, of_nothing_are_the_identity) {
  using T = TypeParam;
  std::span<T const> const none;
  EXPECT_EQ(reduce(cpu{}, none, tally::bit_and{}), T(-1));
  EXPECT_EQ(reduce(cpu{}, none, tally::bit_or{}), T(0));
  EXPECT_EQ(reduce(cpu{}, none, tally::bit_xor{}), T(0));
  static_assert(std::is_same_v<decltype(reduce(cpu{}, none, tally::bit_or{})), T>);
}

TEST(bits, come_in_one_read_with_others_and_in_parts_that_are_saved) {
  std::vector<std::uint16_t> const x{0x0f01, 0x0f02, 0x0f04};
  auto const [both, total] = reduce(cpu{}, x, all_together(tally::bit_and{}, sum{}));
  EXPECT_EQ(both, 0x0f00);
  EXPECT_EQ(total, 0x0f01u + 0x0f02u + 0x0f04u);

  reducer<std::uint16_t, tally::bit_or> left, right, from_bytes;
  left.add(cpu{}, std::span(x).first(1));
  right.add(cpu{}, std::span(x).subspan(1));
  byte_writer out;
  right.write(out);
  auto const bytes = out.take();
  byte_reader in(bytes);
  from_bytes.read(in);
  from_bytes.append(left);  // in any order
  EXPECT_EQ(from_bytes.result(), 0x0f07);
}

TEST(operators, answer_for_nothing_with_their_identity) {
  std::vector<float> const none;
  EXPECT_EQ(to_bits(reduce(cpu{}, none, plus{})), to_bits(-0.0f));
  EXPECT_EQ(reduce(cpu{}, none, multiplies{}), 1.0f);
  EXPECT_EQ(reduce(cpu{}, none, smaller{}), std::numeric_limits<float>::infinity());
  EXPECT_EQ(reduce(cpu{}, std::vector<int>{}, larger{}), std::numeric_limits<int>::lowest());
  std::vector<double> const nan(700, NAN);
  EXPECT_EQ(reduce(cpu{}, nan, multiplies{}, {.nan = skip}), 1.0);
}

// The tree of the elements that are there, for any place of those that are skipped.
TEST(operators, have_identities_that_leave_no_trace_in_the_tree) {
  std::vector<float> zeros(1024, -0.0f);
  EXPECT_EQ(to_bits(reduce(cpu{}, zeros, plus{})), to_bits(-0.0f));
  for (std::size_t i = 0; i < zeros.size(); i += 3) zeros[i] = NAN;
  EXPECT_EQ(to_bits(reduce(cpu{}, zeros, plus{}, {.nan = skip})), to_bits(-0.0f));
  auto const without = [](float a, float b) { return a + b; };
  std::mt19937 random(3);
  std::vector<float> x(5000);
  for (float& e : x) e = random() % 5 ? float(random()) / 7 : NAN;
  EXPECT_EQ(to_bits(reduce(cpu{2}, x, plus{}, {.nan = skip})),
            to_bits(reduce(cpu{1}, x, without, {.nan = skip})));
}

// A type of the user's for which the operators know no identity.
struct point {
  int x, y;
  point operator+(point o) const { return {x + o.x, y + o.y}; }
};
TEST(operators, have_no_identity_for_types_they_do_not_know) {
  std::vector<point> const p{{1, 2}, {3, 4}};
  static_assert(!has_identity<operation<point, plus>>);
  EXPECT_EQ(reduce(cpu{}, p, plus{}).y, 6);
  EXPECT_THROW(reduce(cpu{}, std::vector<point>{}, plus{}), error);
}

}  // namespace
