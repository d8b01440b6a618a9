// SPDX-License-Identifier: Apache-2.0
//
// Where the k best keys of a row end: at k around what is not skipped, and around all.
#include "tally/device/top_k/select/cut.cuh"

#include "support/device_reduce.cuh"

namespace {

using namespace support;
using namespace tally::device;

template <class Bits>
using found_cut = cut<Bits, std::uint32_t>;

template <class Bits>
__global__ void __launch_bounds__(selecting_threads)
    find_cuts(Bits const* data, unsigned n, tally::rank_order<Bits> order, unsigned k,
              workspace words, std::uint32_t* counts, found_cut<Bits>* out) {
  __shared__ digit_counts<std::uint32_t> board;
  team all(words, 0, blockIdx.x, gridDim.x);
  auto const at = find_cut_of_any(all, board, counts, array_row<Bits>{data, n}, order, k);
  if (threadIdx.x == 0) out[blockIdx.x] = at;
  all.leave();
}

// What is above the cut, and the first at it, are as many as are asked for or as there are.
template <class T>
void expect_cut(std::vector<T> const& row, unsigned k, bool skips, unsigned blocks) {
  using bits = tally::bits_of<T>;
  auto const order = tally::rank_order<bits>::of(std::type_identity<T>{}, false, skips);
  auto const n = unsigned(row.size());
  test_call call(1);
  tally::device_array<T> const in(row);
  tally::device_array<std::uint32_t> counts(std::size_t(digit_passes<bits>) * digits);
  tally::device_array<found_cut<bits>> out(blocks);
  counts.fill_bytes(0xa5), out.fill_bytes(0xa5);
  ASSERT_TRUE(tally::launch_together<find_cuts<bits>>(blocks, selecting_threads)(
      reinterpret_cast<bits const*>(in.data()), n, order, k, call.workspace(1), counts.data(),
      out.data()));
  tally::check(cudaDeviceSynchronize());
  std::uint64_t above = 0, equal = 0, counted_above = 0, counted_equal = 0, left = 0;
  auto const cuts = out.to_host();
  auto const& first = cuts[0];
  for (auto const& at : cuts) {
    ASSERT_EQ(at.low, first.low);
    ASSERT_EQ(at.ties, first.ties);
    counted_above += at.above, counted_equal += at.equal;
  }
  for (T const x : row) {
    bits const key = order(tally::to_bits(x));
    above += key > first.low, equal += key == first.low, left += !(skips && tally::is_nan(x));
  }
  auto const name = std::to_string(n) + " elements, " + std::to_string(left) + " of them left, k " +
                    std::to_string(k) + ", " + std::to_string(blocks) + " blocks";
  std::uint64_t const wanted = std::min<std::uint64_t>(k, left), ties = first.ties;
  EXPECT_EQ(above + std::min(equal, ties), wanted) << name;
  EXPECT_EQ(counted_above + std::min(counted_equal, ties), wanted) << name;
}

TEST(cuts, are_behind_all_that_are_not_skipped) {
  unsigned turn = 0;
  for (unsigned nans : {1u, 7u}) {
    std::vector<float> row(40);
    for (unsigned i = 0; i < 40; ++i)
      row[i] = i * 7 % 40 < nans ? tally::quiet_nan<float>() : -float(i % 9);
    for (unsigned k : {39u - nans, 40u - nans, 41u - nans, 40u})
      expect_cut(row, k, true, 1 + ++turn % 2);
    expect_cut(row, 40 - nans / 2, false, 1 + turn % 2);
  }
}

// Half of them have the key 0, which is that of nothing that is skipped.
TEST(cuts, may_be_at_the_worst_there_is) {
  std::vector<std::uint8_t> row(64);
  for (unsigned i = 0; i < 64; i += 2) row[i] = std::uint8_t(i + 1);
  for (unsigned k : {32u, 33u, 63u, 64u}) expect_cut(row, k, false, 1 + k % 2);
}

}  // namespace
