// SPDX-License-Identifier: Apache-2.0
//
// Sets that are as large as they may be when they are written, and larger by one.
#include "tally/device/top_k/distinct/value_set.cuh"

#include "support/device_reduce.cuh"

namespace {

using namespace support;
using namespace tally::device;
using set_type = value_set<std::uint32_t, std::uint32_t>;

// Adds the keys `values`, 0 and all of them again, with later indices.
__global__ void __launch_bounds__(selecting_threads)
    fill(unsigned k, unsigned values, key_pairs<std::uint32_t, std::uint32_t> to, unsigned* count) {
  __shared__ value_set_board board;
  set_type set(tally::dynamic_shared<std::byte>(), board, k, 0);
  for (unsigned at : {0u, 1000u})
    for (unsigned key = threadIdx.x; key <= values; key += selecting_threads)
      set.add(key, at + key);
  __syncthreads();
  set.trim();
  unsigned const written = set.put(to);
  if (threadIdx.x == 0) *count = written;
}

// Where there are as many as it may have beside the key 0 nothing is left out, where there is one
// more all but the best.
TEST(value_sets_of_a_block, are_written_where_they_just_fit) {
  unsigned const k = 20, most = set_type::most_left(k);
  for (unsigned values : {most - 2, most - 1, most}) {
    tally::device_array<std::uint32_t> keys(most), indices(most);
    tally::device_array<unsigned> count(1);
    keys.fill_bytes(0xa5), indices.fill_bytes(0xa5);
    tally::launch(fill, 1, selecting_threads, set_type::bytes)(
        k, values, {keys.data(), indices.data()}, count.data());
    tally::check(cudaDeviceSynchronize());
    auto found = keys.to_host();
    auto const at = indices.to_host();
    unsigned const written = count.to_host()[0];
    ASSERT_LE(written, most);
    ASSERT_TRUE(values == most ? written >= k : written == values + 1) << values << ' ' << written;
    for (unsigned i = 0; i < written; ++i) EXPECT_EQ(at[i], found[i]) << values;
    std::ranges::sort(found.begin(), found.begin() + written, std::greater());
    for (unsigned i = 0; i < written; ++i) EXPECT_EQ(found[i], values - i) << values;
  }
}

}  // namespace
