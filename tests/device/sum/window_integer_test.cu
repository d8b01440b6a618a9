// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/window_integer.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/exact/fixed_point.hpp"

namespace {

using namespace tally;

constexpr int parts = 3, lsb = -149;
struct sum_of_parts {
  std::uint64_t significand[parts];
  int position[parts];
  bool negative[parts];
  int dropped;  // digits
};
struct computed {
  device::window_integer whole, dropped;
  int width, by;
  std::int64_t shifted;
  bool rest;
  float to_float;
  double to_double;
  float16 to_float16;
  bfloat16 to_bfloat16;
};

__global__ void compute(sum_of_parts const* in, int n, computed* out) {
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    computed c{};
    for (int k = 0; k < parts; ++k)
      if (k % 2) {
        device::window_integer one{};
        one.add(in[i].negative[k], in[i].significand[k], in[i].position[k]);
        c.whole += one;
      } else {
        c.whole.add(in[i].negative[k], in[i].significand[k], in[i].position[k]);
      }
    c.dropped = c.whole;
    c.dropped.drop(in[i].dropped);
    c.width = c.whole.width();
    c.by = (c.width > 62 ? c.width - 62 : 0) + i % 7 * 9;
    c.shifted = c.whole.shifted(c.by, c.rest);
    c.to_float = c.whole.round<float>(lsb);
    c.to_double = c.whole.round<double>(lsb);
    c.to_float16 = c.whole.round<float16>(lsb);
    c.to_bfloat16 = c.whole.round<bfloat16>(lsb);
    out[i] = c;
  }
}

// The same as digits, of which four are below the window and two above.
using number = detail::fixed_point<12, lsb - 128>;

std::uint64_t word_of(number const& x, int w, int from = 4) {
  auto const digit = [&](int i) {
    return i < number::digits ? std::uint32_t(x.digit[i])
                              : std::uint32_t(x.digit[number::digits - 1] < 0 ? -1 : 0);
  };
  return digit(from + 2 * w) | std::uint64_t(digit(from + 2 * w + 1)) << 32;
}
bool any_below(number const& x, int digits) {
  return std::any_of(x.digit, x.digit + digits, [](auto d) { return d != 0; });
}

TEST(integers_of_192_bits, are_what_digits_are) {
  std::mt19937_64 random(1);
  std::vector<sum_of_parts> in(3000);
  for (auto& x : in) {
    // One part alone may be cut off: the sum of what is rounded down is not that of the sum.
    bool const narrow = random() % 4 == 0;
    for (int k = 0; k < parts; ++k) {
      auto const bits = random() % 3;
      x.significand[k] = bits == 0   ? std::uint64_t(1) << random() % 64
                         : bits == 1 ? random() >> random() % 64
                                     : ~std::uint64_t(0) << random() % 64;
      int const lowest = k == 0 ? -100 : 0, most = narrow ? 20 : 120;
      x.position[k] = lowest + int(random() % unsigned(most - lowest));
      x.negative[k] = random() % 2;
    }
    if (random() % 8 == 0) {  // they cancel
      x.significand[2] = x.significand[1], x.position[2] = x.position[1];
      x.negative[2] = !x.negative[1];
      if (random() % 2) x.significand[0] = 0;
    }
    x.dropped = int(random() % 8);
  }
  device_array<sum_of_parts> const parts_there(in);
  device_array<computed> out(in.size());
  out.fill_bytes(0);  // also what lies between members
  launch(compute, 1, 32)(parts_there.data(), int(in.size()), out.data());
  auto const got = out.to_host();
  for (std::size_t i = 0; i < in.size(); ++i) {
    number want{};
    for (int k = 0; k < parts; ++k)
      want.add(in[i].negative[k], in[i].significand[k], in[i].position[k] + lsb);
    want.carry();
    auto const& g = got[i];
    bool same = true;
    for (int w = 0; w < 3; ++w) {
      same = same && g.whole.word[w] == word_of(want, w);
      same = same && g.dropped.word[w] == word_of(want, w, 4 + in[i].dropped);
    }
    EXPECT_TRUE(same) << i;
    EXPECT_EQ(g.whole.cut, any_below(want, 4)) << i;
    EXPECT_EQ(g.dropped.cut, any_below(want, 4 + std::min(in[i].dropped, 6))) << i;
    for (int d = 0; d < 4; ++d) want.digit[d] = 0;
    bool const sign = want.digit[number::digits - 1] < 0;
    auto const bit = [&](int b) {
      return b < 192 ? (word_of(want, b / 64) >> b % 64 & 1) != 0 : sign;
    };
    int width = 192;
    while (width > 0 && bit(width - 1) == sign) --width;
    EXPECT_EQ(g.width, width) << i;
    bool rest = false;
    for (int b = 0; b < std::min(g.by, 192); ++b) rest = rest || bit(b);
    EXPECT_EQ(g.rest, rest) << i;
    std::uint64_t shifted = 0;
    for (int b = 0; b < 64; ++b) shifted |= std::uint64_t(bit(b + g.by)) << b;
    EXPECT_EQ(g.shifted, std::int64_t(shifted)) << i;
    EXPECT_EQ(to_bits(g.to_float), to_bits(want.round<float>())) << i;
    EXPECT_EQ(to_bits(g.to_double), to_bits(want.round<double>())) << i;
    EXPECT_EQ(to_bits(g.to_float16), to_bits(want.round<float16>())) << i;
    EXPECT_EQ(to_bits(g.to_bfloat16), to_bits(want.round<bfloat16>())) << i;
  }
}

}  // namespace
