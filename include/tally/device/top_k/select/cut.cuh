// SPDX-License-Identifier: Apache-2.0
//
// Where the k best keys of a row end, found digit by digit from the top: radix selection. Each
// digit is a read of the row.
#pragma once

#include "tally/block/scan.cuh"
#include "tally/device/rows/row.cuh"
#include "tally/exact/rank_order.hpp"

namespace tally::device {

// Wide digits take fewer reads, narrow ones fewer counts that blocks add up.
inline constexpr int digit_bits = 11, digits = 1 << digit_bits, narrow_digit_bits = 8;
template <class Bits, int Width = digit_bits>
inline constexpr int digit_passes = (8 * int(sizeof(Bits)) + Width - 1) / Width;

// The best are the keys above `low` and the first `ties` of those that equal it. Of them the block
// has `above` and `equal` in its stretch.
template <class Bits, class Index>
struct cut {
  Bits low;
  Index ties;
  Index above, equal;
};

// What the threads of a block share while they count digits.
template <class Index>
struct digit_counts {
  std::uint32_t here[digits];
  unsigned digit;
  Index before, inside;
};

// Which digit has the entry at place `rank`, counted from 1, from the highest digit on: `inside` of
// them are in that digit, and `before` in those above.
template <int Width = digit_bits, class Index, class Count>
__device__ void find_digit(digit_counts<Index>& shared, Count const* counts, Index rank) {
  constexpr int all = 1 << Width, each = all > selecting_threads ? all / selecting_threads : 1;
  int const top = all - 1 - int(threadIdx.x) * each;
  Index mine = 0;
#pragma unroll
  for (int e = 0; e < each; ++e) mine += top >= e ? counts[top - e] : 0;
  Index before = block::exclusive_scan<selecting_threads>(mine, plus{}, Index(0));
  if (before < rank && rank <= before + mine)
#pragma unroll 1
    for (int e = 0; e < each; ++e) {
      Index const inside = counts[top - e];
      if (rank <= before + inside) {
        shared.digit = unsigned(top - e), shared.before = before, shared.inside = inside;
        break;
      }
      before += inside;
    }
  __syncthreads();
}

// Counts the digits of the keys in a stretch whose bits `known` are those of `low`.
template <int Width, class Stretch, class Index, class Bits>
__device__ void count_digits(digit_counts<Index>& shared, Stretch const& mine,
                             rank_order<Bits> const& order, Bits known, Bits low, int shift,
                             unsigned mask) {
  constexpr int digits = 1 << Width;
  for (int d = int(threadIdx.x); d < digits; d += selecting_threads) shared.here[d] = 0;
  __syncthreads();
  mine.for_tiles([&](auto const& x, auto) {
#pragma unroll
    for (int i = 0; i < mine.items; ++i) {
      Bits const key = order(x.x[i]);
      bool const counted = (x.live >> i & 1) && (key & known) == low;
      unsigned const digit = unsigned(key >> shift) & mask;
      // Where all lanes have one digit, one of them counts.
      int same;
      __match_all_sync(~0u, counted ? digit : digits, &same);
      if (!same) {
        if (counted) atomicAdd(&shared.here[digit], 1u);
      } else if (counted && threadIdx.x % 32 == 0) {
        atomicAdd(&shared.here[digit], 32u);
      }
    }
  });
  __syncthreads();
}

// Finds the cut behind the k best of a row, 0 < k <= row.count. `counts` are zero, and as many as
// there are digits for each pass, for a team of several blocks; they are in use until the team has
// met once more.
//
// A cut that leaves up to `slack` more than k will do; unless it is to be exact: then `low` is the
// key of the k-th.
template <int Width = digit_bits, bool Exact = false, class Row, class Index>
__device__ cut<typename Row::bits, Index> find_cut(team& all, digit_counts<Index>& shared,
                                                   Index* counts, Row const& row,
                                                   rank_order<typename Row::bits> const& order,
                                                   Index k, Index slack = 0) {
  using bits = typename Row::bits;
  constexpr int digits = 1 << Width;
  stretch<Row, Index> const mine(row, all);
  cut<bits, Index> found{0, k, 0, 0};
  bits known = 0;  // which of the key's bits are those of `low`
#pragma unroll 1
  for (int top = 8 * int(sizeof(bits)); top > 0; top -= Width, counts += digits) {
    int const shift = top > Width ? top - Width : 0;
    unsigned const mask = (1u << (top - shift)) - 1;
    count_digits<Width>(shared, mine, order, known, found.low, shift, mask);
    if (all.is_alone()) {
      find_digit<Width>(shared, shared.here, found.ties);
    } else {
      for (int d = int(threadIdx.x); d < digits; d += selecting_threads)
        if (auto const n = shared.here[d])
          __nv_atomic_fetch_add(counts + d, Index(n), __NV_ATOMIC_RELAXED,
                                __NV_THREAD_SCOPE_DEVICE);
      all.meet();
      find_digit<Width>(shared, counts, found.ties);
    }
    unsigned const digit = shared.digit;
    Index above = 0;
    for (unsigned d = digit + 1 + threadIdx.x; d < unsigned(digits); d += selecting_threads)
      above += shared.here[d];
    Index total;
    block::inclusive_scan(above, plus{}, total);
    found.above += total, found.equal = shared.here[digit];
    found.ties -= shared.before;
    found.low = bits(found.low | bits(bits(digit) << shift));
    known = bits(known | bits(bits(mask) << shift));
    if (!Exact && shared.inside - found.ties <= slack &&
        found.low != 0) {  // all keys from here on are among the best
      found.above += found.equal;
      return {bits(found.low - 1), 0, found.above, 0};
    }
    __syncthreads();
  }
  return found;
}

// The same for 0 < k <= row.count, and `counts` of any content. If all are among the best, they are
// what is at the cut and above it, and those that the order skips are none of them.
template <int Width = digit_bits, bool Exact = false, class Row, class Index>
__device__ cut<typename Row::bits, Index> find_cut_of_any(
    team& all, digit_counts<Index>& shared, Index* counts, Row const& row,
    rank_order<typename Row::bits> const& order, Index k, Index slack = 0) {
  using bits = typename Row::bits;
  __syncthreads();
  if (!Exact && k == row.count && !order.skips)
    return {0, Index(~Index(0)), 0, stretch<Row, Index>(row, all).size()};
  if (!all.is_alone()) {
    for (int d = int(all.thread()); d < (digit_passes<bits, Width> << Width);
         d += int(all.threads()))
      counts[d] = 0;
    all.meet();
  }
  auto at = find_cut<Width, Exact>(all, shared, counts, row, order, k, slack);
  if (!Exact && order.skips && at.low == 0) at.ties = 0, at.equal = 0;
  __syncthreads();
  return at;
}

}  // namespace tally::device
