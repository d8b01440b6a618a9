// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/carried_sum.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

// The total of a tile: two numbers that a window has room for, or as digits, numbers anywhere.
struct tile_total {
  std::uint64_t significand[2];
  int position[2];  // from the window's first bit on, or for digits from the last
  bool negative[2];
  bool digits;
  int base;
  unsigned seen;
};

template <class Number>
struct seen_from_outside {
  int half[device::carried_sum<Number>::halves];
  int top, base;
  unsigned seen;
  device::window_integer window;
};

template <class Number>
__global__ void carry_over(device::status_word* words, std::uint32_t epoch,
                           tile_total const* totals, std::uint32_t const* tiles, int steps,
                           int const* bases, seen_from_outside<Number>* out) {
  using sum_type = device::carried_sum<Number>;
  __shared__ sum_type sum;
  __shared__ device::block_superaccumulator<Number> digits;
  device::mailbox const at{words, nullptr, epoch};
  for (std::uint32_t t = 0; t < tiles[steps - 1]; ++t) {
    tile_total const x = totals[t];
    if (x.digits) {
      sum_type::clear(digits);
      __syncwarp();
      if (threadIdx.x < 2)
        digits.add(x.negative[threadIdx.x], x.significand[threadIdx.x],
                   x.position[threadIdx.x] + Number::lsb);
      __syncwarp();
      sum_type::publish(at, t, digits, x.seen);
      __syncwarp();
    } else {
      device::window_integer total{};
      for (int i = 0; i < 2; ++i) total.add(x.negative[i], x.significand[i], x.position[i]);
      sum_type::publish(at, t, total, x.base, x.seen);
    }
  }
  sum.clear();
  std::uint32_t from = 0;
  for (int i = 0; i < steps; ++i) {
    auto const between = sum_type::collect(at, from, tiles[i]);
    sum.add(between, at, from, tiles[i]);
    sum.copy_to(out[i].half);
    int const top = sum.top(), base = bases[i];
    auto const window = sum.from_digit(base);
    if (threadIdx.x == 0)
      out[i].top = top, out[i].base = base, out[i].seen = sum.seen(), out[i].window = window;
    __syncwarp();
    from = tiles[i];
  }
}

template <class Number>
void expect_carried(std::vector<tile_total> const& totals,
                    std::vector<std::uint32_t> const& tiles) {
  using sum_type = device::carried_sum<Number>;
  std::mt19937 random(3);
  std::vector<int> bases;
  for (std::size_t i = 0; i < tiles.size(); ++i) bases.push_back(int(random() % Number::digits));
  device_array<device::status_word> words(totals.size() * std::size_t(sum_type::words));
  words.fill_bytes(0);
  device_array<tile_total> const in(totals);
  device_array<std::uint32_t> const numbers(tiles);
  device_array<int> const wanted_bases(bases);
  device_array<seen_from_outside<Number>> out(tiles.size());
  out.fill_bytes(0);  // also what lies between members
  launch(carry_over<Number>, 1, 32)(words.data(), 7u, in.data(), numbers.data(), int(tiles.size()),
                                    wanted_bases.data(), out.data());
  auto const got = out.to_host();
  Number want{};
  unsigned seen = 0;
  for (std::size_t i = 0, t = 0; i < tiles.size(); ++i) {
    for (; t < tiles[i]; ++t) {
      auto const& x = totals[t];
      for (int k = 0; k < 2; ++k)
        want.add(x.negative[k], x.significand[k],
                 Number::lsb + x.position[k] + (x.digits ? 0 : 32 * x.base));
      seen |= x.seen;
    }
    want.carry();
    Number found{};
    for (int h = 0; h < sum_type::halves; ++h) {
      found.digit[h / 2] += std::int64_t(got[i].half[h]) * (h % 2 ? 65536 : 1);
      EXPECT_TRUE(h + 1 == sum_type::halves || std::abs(got[i].half[h]) <= 0x8002) << h;
    }
    found.carry();
    auto const& d = want.digit;
    EXPECT_TRUE(std::ranges::equal(found.digit, d)) << "before the tile " << tiles[i];
    EXPECT_EQ(got[i].seen, seen);
    // Above the top there is the sign alone.
    for (int bit = got[i].top; bit < 32 * Number::digits; ++bit)
      EXPECT_EQ(d[bit / 32] >> bit % 32 & 1, d[Number::digits - 1] < 0) << bit;
    auto const digit = [&](int k) {
      return k < Number::digits ? std::uint32_t(d[k])
                                : std::uint32_t(d[Number::digits - 1] < 0 ? -1 : 0);
    };
    int const base = got[i].base;
    for (int w = 0; w < 3; ++w)
      EXPECT_EQ(got[i].window.word[w], digit(base + 2 * w) | std::uint64_t(digit(base + 2 * w + 1))
                                                                 << 32)
          << "the word " << w << " from the digit " << base;
    EXPECT_EQ(got[i].window.cut, std::any_of(d, d + base, [](auto x) { return x != 0; }));
  }
}

// Most in windows at the same digit; `other` of 64 elsewhere or as digits.
template <class Number>
std::vector<tile_total> random_totals(std::size_t n, unsigned other, unsigned seed) {
  std::mt19937_64 random(seed);
  int const room = 32 * (Number::digits - 1);
  std::vector<tile_total> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto& x = out[i];
    x.base = std::min(2, Number::digits - 5);
    unsigned const which = unsigned(random() % 64);
    x.digits = which < other / 2;
    if (which >= other / 2 && which < other) x.base = int(random() % (Number::digits - 4));
    int const bits = x.digits ? room - 64 : std::min(170, room - 32 * x.base) - 64;
    for (int k = 0; k < 2; ++k) {
      x.significand[k] = random() % 3 == 0 ? ~std::uint64_t(0) : random();
      x.position[k] = int(random() % unsigned(bits));
      x.negative[k] = random() % 2;
    }
    x.seen = random() % 97 == 0 ? 1u << random() % 3 : 0;
  }
  return out;
}

using float_digits = detail::sum_digits<float>;
using double_digits = detail::sum_digits<double>;

// Distances around a warp's tiles, around what it asks for at once, and what a window holds.
std::vector<std::uint32_t> const tiles[] = {
    {1, 2, 33, 65, 96, 128, 287, 447, 608}, {961}, {960, 1000}, {161, 200, 361}};

TEST(carried_sums, are_exact_over_any_number_of_tiles) {
  for (auto const& some : tiles)
    for (unsigned other : {0, 1, 20}) {
      expect_carried<float_digits>(random_totals<float_digits>(some.back(), other, other), some);
      expect_carried<double_digits>(random_totals<double_digits>(some.back(), other, other), some);
    }
}

TEST(carried_sums, of_halves_hold_integers_with_all_bits) {
  std::vector<tile_total> all(400);
  for (auto& x : all)
    x = {{~std::uint64_t(0), ~std::uint64_t(0)}, {60, 124}, {true, true}, false, 1, 0};
  expect_carried<float_digits>(all, {1, 32, 192, 193, 400});
  for (auto& x : all) x.negative[0] = x.negative[1] = false;
  expect_carried<float_digits>(all, {1, 32, 192, 193, 400});
}

// In each lane's sum of them there would be no room for so many.
TEST(carried_sums, of_a_thousand_large_totals_need_more_than_a_window) {
  std::vector<tile_total> all(1100);
  for (auto& x : all) x = {{~std::uint64_t(0), 0}, {122, 0}, {false, false}, false, 1, 0};
  expect_carried<float_digits>(all, {1100});
  expect_carried<float_digits>(all, {960, 1000});
}

// Groups of 32 tiles, each in windows at a digit of its own.
TEST(carried_sums, of_groups_may_begin_at_different_digits) {
  auto all = random_totals<float_digits>(160, 0, 5);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].base = 1 + int(i / 32);
  expect_carried<float_digits>(all, {64, 160});
  expect_carried<double_digits>(all, {160});
}

// 29 of these, a tile a lane, leave nearly 2^15 in a half, and carry 28 into the next one.
TEST(carried_sums, carry_on_what_was_carried) {
  std::vector<tile_total> all(29);
  for (auto& x : all)
    x = {{0xfb96fb96fb96fb96, 0xfb96fb96fb96fb96}, {0, 64}, {false, false}, false, 2, 0};
  expect_carried<float_digits>(all, {29});
}

}  // namespace
