// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/threads.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <numeric>

#include "tally/tally.hpp"

namespace {

using namespace tally;

TEST(threads, far_more_than_there_is_work_for_are_as_quick_as_few) {
  cpu const crowd{std::numeric_limits<int>::max()};
  std::vector<std::int64_t> x(200'000), out(x.size());
  std::iota(x.begin(), x.end(), 1);
  auto const begin = std::chrono::steady_clock::now();
  EXPECT_EQ(reduce(crowd, x, sum{}), 200'000ll * 200'001 / 2);
  inclusive_scan(crowd, x, out, sum{});
  EXPECT_EQ(out.back(), 200'000ll * 200'001 / 2);
  EXPECT_EQ(top_k(crowd, x, 2).indices, (std::vector<std::int64_t>{199'999, 199'998}));
  selector<std::int64_t> stream(1);
  stream.add(crowd, x);
  EXPECT_EQ(std::move(stream).result().values, std::vector<std::int64_t>{200'000});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
