// SPDX-License-Identifier: Apache-2.0
//
// The k best different values of each row from its best elements, more than k, which have been
// selected: of equal elements the first by index came first.
#pragma once

#include "tally/block/scan.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/rows.cuh"

namespace tally::device {

inline constexpr int among_best_threads = 256;

// Rows that are left for another way, in any order. In the GPU's memory.
struct row_list {
  unsigned long long* count;
  std::uint64_t* rows;

  __device__ void add(std::uint64_t r) const { rows[atomicAdd(count, 1ull)] = r; }
};

// How many of the best are looked at for k different values. Where few are alike that is enough.
TALLY_FN std::uint64_t best_for_distinct(std::uint64_t k) {
  std::uint64_t const few = k < 64 ? k : 64;
  return k + (k / 8 < few ? few : k / 8);
}

// The best of rows, among which the different ones are looked for, the rows that are left, and the
// memory of either kernel.
template <class Bits>
struct distinct_memory {
  row_list left{};
  std::uint64_t* counts;
  std::int64_t* indices;
  Bits* values;
  std::byte *best, *rest;

  distinct_memory(arena& from, std::uint64_t rows, std::uint64_t places, std::size_t best_bytes,
                  std::size_t rest_bytes)
      : counts(from.take<std::uint64_t>(rows)),
        indices(from.take<std::int64_t>(places)),
        values(from.take<Bits>(places)),
        best(from.take<std::byte>(best_bytes)),
        rest(from.take<std::byte>(rest_bytes)) {
    if (rows == 0) return;
    left.count = from.take<unsigned long long>(1);
    left.rows = from.take<std::uint64_t>(rows);
  }
};

template <class Bits>
struct among_best_call {
  row_layout rows;
  rank_order<Bits> order;
  detail::gpu_selection<Bits> best, how;
  row_list left;
};

// Of one row. Returns how many there are, or ~0 where there may be more that are not among the
// best.
template <class Bits>
__device__ std::uint64_t put_distinct(among_best_call<Bits> const& call, std::uint64_t r) {
  std::uint64_t const count = call.best.counts[r], k = call.how.k_of(r);
  bool const are_all = count < call.best.most || call.rows.size(r) <= call.best.most;
  std::uint64_t const in = r * call.best.most, out = r * call.how.most;
  auto const key = [&](std::uint64_t i) { return call.order(call.best.values[in + i]); };
  std::uint64_t found = 0;
#pragma unroll 1
  for (std::uint64_t base = 0; base < count && found < k; base += among_best_threads) {
    std::uint64_t const i = base + threadIdx.x;
    unsigned const is_first = i < count && (i == 0 || key(i - 1) != key(i));
    unsigned here;
    std::uint64_t const place = found + block::exclusive_scan(is_first, plus{}, 0u, here);
    if (is_first && place < k)
      call.how.put(out + place, call.best.values[in + i], call.best.indices[in + i]);
    found += here;
  }
  if (found < k && !are_all) return ~std::uint64_t(0);
  return found < k ? found : k;
}

template <class Bits>
__global__ void __launch_bounds__(among_best_threads)
    distinct_among_best(__grid_constant__ among_best_call<Bits> const call) {
  await_launches_before();
#pragma unroll 1
  for (std::uint64_t r = blockIdx.x; r < call.rows.count; r += gridDim.x) {
    std::uint64_t const count = put_distinct(call, r);
    bool const is_left = count == ~std::uint64_t(0);
    if (is_left) {
      if (threadIdx.x == 0) call.left.add(r);
      continue;
    }
    finish_row(call.how, r, count, threadIdx.x, among_best_threads);
    if (threadIdx.x == 0) note(call.how, detail::top_k_path::distinct_among_best);
  }
}

}  // namespace tally::device
