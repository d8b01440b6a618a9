// SPDX-License-Identifier: Apache-2.0
//
// Selections of slices in the memory of GPUs, one a rank, where cores work in their place
// (support/host_kernels.cpp).
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"
#include "support/slices.hpp"
#include "support/state_cases.hpp"
#include "tally/gpu.hpp"
#include "tally/top_k.hpp"

namespace {

using namespace tally;

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(selections_of_gpus, are_those_of_one_call) {
  auto const x = support::state_values<float>(100'000, true, 1);
  std::array const qs{0.0, 0.3, 0.5, 1.0};
  run_ranks(3, [&](communicator& ranks) {
    support::host_memory memory;
    gpu there = support::gpu_with(memory);
    distributed const where{ranks, there};
    auto const mine = support::slice_of(ranks, std::span(x));
    for (std::uint64_t const k : {0, 5, 40'000})
      for (top_k_options const& options :
           {top_k_options{}, {smallest, false, false, skip}, {largest, true, true, propagate}}) {
        auto const got = top_k(where, mine, k, options), want = top_k(cpu{1}, x, k, options);
        EXPECT_EQ(got.indices, want.indices);
        EXPECT_TRUE(same_bits(got.values, want.values));
      }
    std::vector<float> values(7), found(qs.size());
    std::vector<std::int32_t> indices(7);
    std::uint64_t count = 0;
    top_k_into(where, mine, 7, values, indices, &count);
    auto const best = top_k(cpu{1}, x, 7);
    EXPECT_EQ(count, 7u);
    EXPECT_TRUE(same_bits(values, best.values));
    EXPECT_TRUE(std::ranges::equal(indices, best.indices));
    quantile_into(where, mine, qs, found, {.nan = skip});
    EXPECT_TRUE(same_bits(found, quantile(cpu{1}, x, qs, {.nan = skip})));
    EXPECT_EQ(kth_value(where, mine, 70'000).index, kth_value(cpu{1}, x, 70'000).index);
    EXPECT_EQ(memory.entered, 0);
  });
}

// Rows whose lengths are in the GPU's memory, too, and whose elements are apart.
TEST(selections_of_gpus, may_be_of_rows) {
  auto const x = support::state_values<float>(1200, true, 2);
  std::vector<std::int64_t> const sizes{30, 0, 7, 40};
  auto const rows_of = [&](std::uint64_t begin, std::vector<std::int64_t> const& lengths) {
    row_layout const layout{
        .count = 4, .length = 40, .stride = 300, .step = 3, .lengths = lengths.data()};
    return rows<float const>(x.data() + 3 * begin, layout);
  };
  run_ranks(2, [&](communicator& ranks) {
    support::host_memory memory;
    gpu there = support::gpu_with(memory);
    distributed const where{ranks, there};
    std::vector<std::int64_t> lengths;
    for (auto const n : sizes)
      lengths.push_back(ranks.rank() ? std::max<std::int64_t>(n - 9, 0)
                                     : std::min<std::int64_t>(n, 9));
    auto const mine = rows_of(ranks.rank() ? 9 : 0, lengths), all = rows_of(0, sizes);
    std::vector<std::int64_t> const each{3, 9, 8, 50};
    auto const got = top_k(where, mine, k_of_rows{each.data(), 12});
    auto const want = top_k(cpu{1}, all, k_of_rows{each.data(), 12});
    EXPECT_EQ(got.indices, want.indices);
    EXPECT_EQ(got.counts, want.counts);
    EXPECT_TRUE(same_bits(got.values, want.values));
    EXPECT_TRUE(same_bits(median(where, mine), median(cpu{1}, all)));
    EXPECT_EQ(kth_value(where, mine, 8).indices, kth_value(cpu{1}, all, 8).indices);
  });
}

}  // namespace
