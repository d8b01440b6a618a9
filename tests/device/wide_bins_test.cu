// SPDX-License-Identifier: Apache-2.0
#include "tally/device/wide_bins.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/device/shared_digits.cuh"
#include "tally/device_array.cuh"
#include "tally/launch.cuh"

namespace {

using namespace tally;
using number = detail::square_digits<double>;
constexpr int positions = 4096;
using bins = device::wide_bins<positions, 53>;

struct term {
  std::int64_t significand;
  int position;
};

// As many terms a thread; by whole warps.
__global__ void add_all(term const* in, int each, std::int64_t* out) {
  __shared__ device::shared_digits<number> digits;
  digits.clear();
  __syncthreads();
  bins sum;
  for (int i = 0; i < each; ++i) {
    sum.reserve(1, digits);
    term const t = in[i * int(blockDim.x) + int(threadIdx.x)];
    sum.add(t.significand, t.position);
  }
  sum.close(digits);
  __syncthreads();
  for (int i = int(threadIdx.x); i < number::digits; i += int(blockDim.x)) out[i] = digits.digit(i);
}

void expect_sum(std::vector<term> const& in, int threads) {
  device_array<term> const data(in);
  device_array<std::int64_t> out(number::digits);
  launch(add_all, 1, unsigned(threads), threads * bins::bytes_a_thread)(
      data.data(), int(in.size()) / threads, out.data());
  auto const digit = out.to_host();
  number got, want;
  std::copy(digit.begin(), digit.end(), got.digit);
  for (term const& t : in)
    want.add(t.significand < 0, std::uint64_t(std::abs(t.significand)), t.position + number::lsb);
  got.carry();
  want.carry();
  for (int i = 0; i < number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << "digit " << i;
}

TEST(wide_bins, hold_the_exact_sum_and_are_emptied_when_they_are_full) {
  std::mt19937_64 random(1);
  for (int n : {0, 64, 64 * 50, 64 * 700}) {
    std::vector<term> in(n);
    for (term& t : in) {
      t = {std::int64_t(random() >> 11), int(random() % positions)};
      if (random() % 2) t.significand = -t.significand;
    }
    expect_sum(in, 64);
  }
  std::vector<term> const largest(32 * 600, {(std::int64_t(1) << 53) - 1, positions - 1});
  expect_sum(largest, 32);
}

}  // namespace
