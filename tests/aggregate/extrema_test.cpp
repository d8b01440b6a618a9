// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/extrema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/state.hpp"

namespace {

using namespace tally;

// Few different values, so that the extremes come more than once; NaNs, zeros and infinities.
template <class T>
void fill_for_extrema(std::mt19937_64& random, std::span<T> x, bool with_nan) {
  for (T& e : x) {
    auto const b = bits_of<T>(random());
    if constexpr (std::is_same_v<T, bool>)
      e = random() % 2;
    else if constexpr (integer<T>)
      e = random() % 4 ? T(random() % 3) : T(b);
    else {
      static constexpr double few[] = {0.0, -0.0, 1.0, -1.0, 2.5, INFINITY, -INFINITY, 0.0};
      e = random() % 4 ? T(few[random() % 8]) : from_bits<T>(b);
      if (is_nan(e) && !with_nan) e = T(0.0);
    }
  }
}

// In the order of the values, -0.0 below +0.0 or (Equal) as equal.
template <bool Equal, class T>
bool less(T a, T b) {
  if constexpr (integer<T>) {
    return a < b;
  } else {
    double const x = double(a), y = double(b);
    if (x != y || Equal) return x < y;
    return std::signbit(x) && !std::signbit(y);
  }
}

template <class T>
void compare_extrema(std::span<T const> x, bool skips, int threads) {
  std::int64_t first_nan = -1, least = -1, greatest = -1;
  T low{}, high{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_nan(x[i])) {
      if (first_nan < 0) first_nan = std::int64_t(i);
      continue;
    }
    if (least < 0 || less<true>(x[i], x[std::size_t(least)])) least = std::int64_t(i);
    if (greatest < 0 || less<true>(x[std::size_t(greatest)], x[i])) greatest = std::int64_t(i);
    if (least == std::int64_t(i) || less<false>(x[i], low)) low = x[i];
    if (greatest == std::int64_t(i) || less<false>(high, x[i])) high = x[i];
  }
  bool poisoned = first_nan >= 0 && !skips;
  if (least < 0 && !poisoned) return;
  if constexpr (floating<T>)
    if (poisoned) low = high = quiet_nan<T>();
  cpu const where{threads};
  reduce_options const options{skips ? skip : propagate};
  EXPECT_EQ(to_bits(reduce(where, x, minimum{}, options)), to_bits(low));
  EXPECT_EQ(to_bits(reduce(where, x, maximum{}, options)), to_bits(high));
  EXPECT_EQ(reduce(where, x, arg_minimum{}, options), poisoned ? first_nan : least);
  EXPECT_EQ(reduce(where, x, arg_maximum{}, options), poisoned ? first_nan : greatest);
  auto const both = reduce(where, x, min_max{}, options);
  EXPECT_EQ(to_bits(both.minimum), to_bits(low));
  EXPECT_EQ(to_bits(both.maximum), to_bits(high));
}

template <class T>
class extrema_of : public testing::Test {};
template <class>
struct as_types;
template <class... Ts>
struct as_types<type_list<Ts...>> {
  using type = testing::Types<Ts...>;
};
TYPED_TEST_SUITE(extrema_of, as_types<element_types>::type);

TYPED_TEST(extrema_of, random_elements_are_those_of_a_plain_loop) {
  std::mt19937_64 random(5);
  for (std::size_t const n : {1, 2, 3, 17, 64, 255, 511, 512, 513, 1500, 5000, 70000}) {
    auto const x = std::make_unique<TypeParam[]>(n);  // a vector<bool> has no elements in a row
    for (int i = 0; i < (n > 5000 ? 2 : 8); ++i) {
      fill_for_extrema(random, std::span(x.get(), n), i % 4 == 3);
      compare_extrema(std::span<TypeParam const>(x.get(), n), i % 2, 1 + i % 4);
    }
  }
}

// Each tile has a new least or greatest element.
TYPED_TEST(extrema_of, sorted_elements_are_those_of_a_plain_loop) {
  using T = TypeParam;
  for (std::size_t const n : {100, 1023, 1024, 1025, 2049, 4097, 30000}) {
    auto const x = std::make_unique<T[]>(n);
    for (bool const up : {false, true})
      for (std::size_t const run : {1, 3, 700, 1024, 5000}) {
        for (std::size_t i = 0; i < n; ++i) {
          auto const step = double((up ? i : n - 1 - i) / run) - double(n / run) / 2;
          if constexpr (std::is_same_v<T, bool>)
            x[i] = step > 0;
          else if constexpr (integer<T>)
            x[i] = T(std::int64_t(step));  // of bytes, more than once
          else
            x[i] = step ? T(step / 4) : T(i % 2 ? 0.0 : -0.0);
        }
        compare_extrema(std::span<T const>(x.get(), n), false, 1);
        compare_extrema(std::span<T const>(x.get(), n), true, 3);
      }
  }
}

// Two zeros, of one sign or of both, any number of elements apart, are the ends of all.
TYPED_TEST(extrema_of, the_first_of_two_zeros_is_the_place_wherever_the_second_is) {
  using T = TypeParam;
  if constexpr (floating<T>) {
    std::vector<T> x(9000);
    for (double const others : {-1.0, 1.0})
      for (std::size_t const first : {1, 700, 1500})
        for (std::size_t const apart : {1, 16, 300, 512, 1024, 2048, 5000})
          for (double const zero : {0.0, -0.0}) {
            std::fill(x.begin(), x.end(), T(others));
            x[first] = T(zero), x[first + apart] = T(-zero);
            for (int const pieces : {1, 2, 5}) {
              reducer<T, arg_minimum> least;
              reducer<T, arg_maximum> greatest;
              for (int i = 0; i < pieces; ++i) {
                auto const piece = std::span<T const>(x).subspan(
                    x.size() * i / pieces, x.size() * (i + 1) / pieces - x.size() * i / pieces);
                least.add(cpu{1}, piece);
                greatest.add(cpu{1}, piece);
              }
              ASSERT_EQ(least.result(), others > 0 ? std::int64_t(first) : 0) << first << apart;
              ASSERT_EQ(greatest.result(), others < 0 ? std::int64_t(first) : 0) << first << apart;
            }
          }
  }
}

TYPED_TEST(extrema_of, ties_and_zeros_give_the_first_index_across_pieces) {
  using T = TypeParam;
  std::size_t const n = 100000;
  auto const x = std::make_unique<T[]>(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(0);
  std::span<T const> const all(x.get(), n);
  if constexpr (floating<T>) x[70001] = T(-0.0);
  for (int const threads : {1, 4}) {
    EXPECT_EQ(reduce(cpu{threads}, all, arg_minimum{}), 0);
    EXPECT_EQ(reduce(cpu{threads}, all, arg_maximum{}), 0);
    EXPECT_EQ(to_bits(reduce(cpu{threads}, all, minimum{})), to_bits(x[70001]));
    EXPECT_EQ(to_bits(reduce(cpu{threads}, all, maximum{})), to_bits(T(0)));
    if constexpr (floating<T>) {
      reducer<T, arg_minimum> late({}, {}, 5000);
      late.add(cpu{threads}, all);
      late.move_to(7);
      EXPECT_EQ(late.result(), 7);
      x[80000] = x[90000] = quiet_nan<T>();
      EXPECT_EQ(reduce(cpu{threads}, all, arg_minimum{}), 80000);
      EXPECT_EQ(reduce(cpu{threads}, all, arg_minimum{}, {skip}), 0);
      x[80000] = x[90000] = T(0);
    }
  }
}

// As what stands for no element is beyond both.
TEST(order_keys, of_bools_give_bools) {
  for (std::uint8_t const key : {0, 1, 2, 255})
    EXPECT_EQ(tally::to_bits(tally::from_order_key<bool>(key)), key == 0 ? 0 : 1);
}

}  // namespace
