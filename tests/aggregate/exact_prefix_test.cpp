// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/exact_prefix.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

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

}  // namespace
