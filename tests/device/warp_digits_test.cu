// SPDX-License-Identifier: Apache-2.0
#include "tally/device/warp_digits.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/device/shared_digits.cuh"
#include "tally/device_array.cuh"
#include "tally/launch.cuh"

namespace {

using namespace tally;
using number = detail::square_digits<double>;
constexpr int bits = 106, positions = 4096, before = 4;
using sum_type = device::warp_digits<number, before>;

struct term {
  bool negative;
  std::uint64_t high, low;
  int position;
};

// As many terms a thread, behind bytes of something else.
__global__ void add_all(term const* in, int each, std::int64_t* out, int* changed) {
  __shared__ device::shared_digits<number> digits;
  digits.clear();
  int& other = dynamic_shared<int>()[threadIdx.x];
  other = 77;
  __syncthreads();
  sum_type sum;
  for (int i = 0; i < each; ++i) {
    sum.reserve(1, digits);
    term const t = in[i * int(blockDim.x) + int(threadIdx.x)];
    if (t.high | t.low) sum.add<bits>(t.negative, t.high, t.low, t.position);
  }
  sum.close(digits);
  __syncthreads();
  for (int i = int(threadIdx.x); i < number::digits; i += int(blockDim.x)) out[i] = digits.digit(i);
  if (other != 77) *changed = 1;
}

void expect_sum(std::vector<term> const& in, int threads) {
  device_array<term> const data(in);
  device_array<std::int64_t> out(number::digits);
  device_array<int> changed(1);
  changed.fill_bytes(0);
  launch(add_all, 1, unsigned(threads), threads * (before + sum_type::bytes_a_thread))(
      data.data(), int(in.size()) / threads, out.data(), changed.data());
  auto const digit = out.to_host();
  number got, want;
  std::copy(digit.begin(), digit.end(), got.digit);
  for (term const& t : in) {
    if (t.low) want.add(t.negative, t.low, t.position + number::lsb);
    if (t.high) want.add(t.negative, t.high, t.position + 64 + number::lsb);
  }
  got.carry();
  want.carry();
  for (int i = 0; i < number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << "digit " << i;
  EXPECT_EQ(changed.to_host()[0], 0);
}

constexpr std::uint64_t ones = ~std::uint64_t(0), high_ones = ones >> (128 - bits);

TEST(warp_digits, hold_the_exact_sum) {
  std::mt19937_64 random(1);
  for (int n : {0, 64, 64 * 50, 64 * 300}) {
    std::vector<term> in(n);
    for (term& t : in)
      t = {bool(random() % 2), random() & high_ones, random(), int(random() % positions)};
    for (int i = 0; i < n; i += 5) in[i].high = 0, in[i].low >>= random() % 64;
    expect_sum(in, 64);
  }
}

// As many as a digit bears, and some more, all of one sign.
TEST(warp_digits, are_emptied_when_they_are_full) {
  for (bool negative : {false, true})
    for (int position : {0, 15, positions - 1})
      expect_sum(std::vector<term>(32 * 4100, {negative, high_ones, ones, position}), 32);
}

}  // namespace
