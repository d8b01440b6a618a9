// SPDX-License-Identifier: Apache-2.0
#include "ladder/top_k/13_sample.cu"

#include <gtest/gtest.h>

#include "ladder/verify.hpp"

namespace ladder::top_k {
namespace {

// The sample is of the greatest elements alone, from which on there are fewer than are wanted.
TEST(ladder_sample, that_misleads_costs_time_only) {
  constexpr std::size_t n = 20'000;
  std::vector<int> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = -int(i);
  for (std::size_t i = 0; i < sort_tile; ++i) numbers[place_of_sample(i, n)] = int(1 + i);
  auto const bytes = std::as_bytes(std::span(numbers));
  std::vector<std::byte> const in(bytes.begin(), bytes.end());
  auto const& all = rungs();
  auto const r = std::ranges::find(all, "top-k/13_sample", &rung::id);
  ASSERT_NE(r, all.end());
  for (std::size_t const k : {1u, 1000u, 2048u, 2049u, 3000u}) {
    problem given{.op = operation::maximum, .type = element::int32, .n = n, .k = k};
    given.grid = 4, given.block = 128;
    prepared const memory(*r, given, in, 1);
    auto const out = memory.run(*r);
    auto const seen = r->judge({memory.given(), data::page, in, memory.out_of(out)});
    EXPECT_TRUE(seen.right) << k << ": " << seen.why;
    if (k == 1000) {
      EXPECT_LT(place_in_sample(k, n) + 1, k);
    }
  }
}

}  // namespace
}  // namespace ladder::top_k
