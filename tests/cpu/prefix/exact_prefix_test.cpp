// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/prefix/exact_prefix.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tally/scan.hpp"

namespace {

using namespace tally;

// What one addition rounds to is the machine's own: the oracle for a scan of one element.
TEST(exact_prefix, of_one_element_is_an_addition_wherever_init_and_element_lie) {
  for (int i = -1074; i <= 1023; i += 3) {
    for (int e = -1074; e <= 1023; e += 7) {
      double const init = std::ldexp(1.75, i), element[] = {std::ldexp(-1.25, e)};
      double out[1];
      inclusive_scan(cpu{1}, std::span(element), std::span(out), sum{}, {.init = init});
      ASSERT_EQ(std::bit_cast<std::uint64_t>(out[0]),
                std::bit_cast<std::uint64_t>(init + element[0]))
          << init << " + " << element[0];
    }
  }
}

// Pairs that cancel and lie anywhere, each followed by one more element: what is left is the sum of
// those, which is found after the other half of each pair.
TEST(exact_prefix, finds_again_what_was_far_below_the_sum) {
  std::vector<double> x, out;
  double left = 0;
  std::vector<double> want;
  for (int i = 0; i < 2000; ++i) {
    double const large = std::ldexp(i % 2 ? 1 : -1, i * 37 % 900 + 100), small = i % 7 - 3;
    for (double const next : {large, small, -large}) x.push_back(next);
    want.insert(want.end(), {left + large, left + small + large, left + small});
    left += small;
  }
  out.resize(x.size());
  inclusive_scan(cpu{1}, x, out, sum{});
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(out[i]), std::bit_cast<std::uint64_t>(want[i])) << i;
}

// What a chunk's scan leaves out when nobody asks for its sum is no matter to its outputs.
TEST(exact_prefix, of_bits_at_random_is_the_same_on_any_number_of_threads) {
  std::vector<double> x(300'000), one(x.size()), three(x.size());
  std::uint64_t state = 1;
  for (double& e : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint64_t const field = (state >> 53) % 2000 + 10;
    e = std::bit_cast<double>((state & ~(std::uint64_t(0x7ff) << 52)) | field << 52);
  }
  for (std::size_t i = 40'000; i < 50'000; ++i) x[i] = -x[90'000 - i];
  inclusive_scan(cpu{1}, x, one, sum{});
  inclusive_scan(cpu{3}, x, three, sum{});
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(one[i]), std::bit_cast<std::uint64_t>(three[i])) << i;
}

}  // namespace
