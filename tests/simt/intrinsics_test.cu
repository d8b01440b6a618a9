// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

// Expected values are those of CUDA's manual.
namespace {

TEST(bits, are_counted_found_and_turned) {
  EXPECT_EQ(__popc(0xf0f0f0f0u), 16);
  EXPECT_EQ(__popcll(~0ull), 64);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clzll(1), 63);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__brev(1u), 0x80000000u);
  EXPECT_EQ(__brevll(2ull), 1ull << 62);
}
TEST(funnel_shift, takes_the_shift_modulo_32_or_clamps_it) {
  unsigned const low = 0x89abcdef, high = 0x01234567;
  EXPECT_EQ(__funnelshift_l(low, high, 8), 0x23456789u);
  EXPECT_EQ(__funnelshift_r(low, high, 8), 0x6789abcdu);
  EXPECT_EQ(__funnelshift_l(low, high, 32), high);
  EXPECT_EQ(__funnelshift_r(low, high, 32), low);
  EXPECT_EQ(__funnelshift_lc(low, high, 40), low);
  EXPECT_EQ(__funnelshift_rc(low, high, 40), high);
}
TEST(byte_perm, selects_bytes_and_signs) {
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x3210), 0x33221100u);
  EXPECT_EQ(__byte_perm(0x33221100, 0x77665544, 0x0246), 0x00224466u);
  EXPECT_EQ(__byte_perm(0x80000000, 0x0000007f, 0x4c7b), 0x7f0000ffu);
}
TEST(products, have_high_halves) {
  EXPECT_EQ(__umulhi(0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(__mul64hi(-1, 1), -1);
}
TEST(dp4a, adds_products_of_bytes) {
  EXPECT_EQ(__dp4a(int(0xff020304), 0x01010101, 10), 10 - 1 + 2 + 3 + 4);
  EXPECT_EQ(__dp4a(0xff020304u, 0x01010101u, 10u), 10u + 255 + 2 + 3 + 4);
}
TEST(bit_casts, keep_bits) {
  EXPECT_EQ(__float_as_uint(1.0f), 0x3f800000u);
  EXPECT_EQ(__int_as_float(int(0xbf800000)), -1.0f);
  EXPECT_EQ(__double_as_longlong(-2.0), (long long)0xc000000000000000);
  EXPECT_EQ(__double2hiint(-2.0), int(0xc0000000));
  EXPECT_EQ(__hiloint2double(0x3ff00000, 1), 1.0 + std::numeric_limits<double>::epsilon());
}
TEST(min_and_max, prefer_numbers_to_nans_and_order_zeros) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(min(nan, 1.0f), 1.0f);
  EXPECT_EQ(min(1.0f, nan), 1.0f);
  EXPECT_EQ(max(double(nan), 1.0), 1.0);
  EXPECT_TRUE(std::isnan(max(nan, nan)));
  EXPECT_TRUE(std::signbit(min(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(max(-0.0f, 0.0f)));
  EXPECT_EQ(min(-1, 2), -1);
  EXPECT_EQ(max(-1, 2u), ~0u);
  EXPECT_EQ(max(3ll, 2), 3ll);
}

}  // namespace
