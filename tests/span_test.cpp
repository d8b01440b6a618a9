// SPDX-License-Identifier: Apache-2.0
#include "tally/span.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

using support::failure_of;

TEST(unaligned_arrays, are_refused_and_named_by_every_call) {
  alignas(float) std::byte bytes[16] = {};
  std::span const in(reinterpret_cast<float*>(bytes + 1), 3);
  std::vector<float> aligned(3);
  char where[24];
  std::snprintf(where, sizeof where, "%p", static_cast<void*>(bytes + 1));
  auto const refusal = [&](std::string const& argument) {
    return argument + " = " + where + " is not aligned to its elements of 4 bytes";
  };
  EXPECT_EQ(failure_of([&] { reduce(cpu{}, in, sum{}); }), refusal("sum: in"));
  EXPECT_EQ(failure_of([&] { inclusive_scan(cpu{}, in, aligned, sum{}); }),
            refusal("inclusive_scan: in"));
  EXPECT_EQ(failure_of([&] { exclusive_scan(cpu{}, aligned, in, sum{}); }),
            refusal("exclusive_scan: out"));
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, in, 1); }), refusal("top_k: in"));
  EXPECT_EQ(failure_of([&] { selector<float>(1).add(cpu{}, in); }), refusal("selector: in"));
}

}  // namespace
}  // namespace tally
