// SPDX-License-Identifier: Apache-2.0
#include "tally/device/shared_digits.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "tally/device_array.cuh"
#include "tally/launch.cuh"

namespace {

using namespace tally;
using number = detail::fixed_point<3, 0>;
using digits_type = device::shared_digits<number>;

constexpr int beyond = 4;  // integers behind the digits, which nobody may change

__global__ void add_parts(std::int64_t x, int at, std::int64_t* out) {
  __shared__ struct {
    digits_type digits;
    int behind[beyond];
  } s;
  s.digits.clear();
  if (threadIdx.x < beyond) s.behind[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < digits_type::parts) s.digits.add_part(at, x, int(threadIdx.x));
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 0; i < number::digits; ++i) out[i] = s.digits.digit(i);
  for (int i = 0; i < beyond; ++i) out[number::digits + i] = s.behind[i];
}

TEST(shared_digits, keep_an_integer_of_either_sign_at_every_place) {
  for (std::int64_t const x :
       {std::int64_t(5), std::int64_t(-5), std::int64_t(-1) << 29, (std::int64_t(1) << 30) + 12345})
    for (int at = 0; at <= 4; ++at) {
      device_array<std::int64_t> out(number::digits + beyond);
      launch(add_parts, 1, 32)(x, at, out.data());
      auto const got = out.to_host();
      __int128 value = 0;
      for (int i = number::digits; i-- > 0;) value = (value << 32) + got[i];
      EXPECT_TRUE(value == __int128(x) << 16 * at) << x << " at " << at;
      for (int i = 0; i < beyond; ++i) EXPECT_EQ(got[number::digits + i], 0);
    }
}

}  // namespace
