// SPDX-License-Identifier: Apache-2.0
//
// The k best of each of many short rows, for small k: a warp a row, which it holds in registers.
// The k-th of the lanes' best keys is a threshold that at least k elements reach.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/ranked.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr int short_row_warps = 8;  // of a block
// Of more, many would reach the threshold, and longer ones are streamed as soon.
inline constexpr int longest_short_row = 256, most_of_short_row = 16;

// A row in the lanes' registers: the element j * 32 + lane is a lane's j-th.
template <class Row, int Each>
struct held_row {
  using bits = typename Row::bits;
  bits key[Each];
  unsigned live = 0;

  __device__ held_row(Row const& row, rank_order<bits> const& order) {
    unsigned const lane = threadIdx.x % 32, size = unsigned(row.count);
    bits x[Each];
#pragma unroll
    for (int j = 0; j < Each; ++j) x[j] = j * 32 + lane < size ? row[j * 32 + lane] : bits(0);
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      key[j] = order(x[j]);
      bool const counts = j * 32 + lane < size && !(order.skips && key[j] == 0);
      live |= unsigned(counts) << j;
    }
  }
  // The k-th of the lanes' best keys; 0 where fewer lanes have any.
  __device__ bits threshold(unsigned k) const {
    bits best = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if ((live >> j & 1) && key[j] > best) best = key[j];
    best = warp::sort(best, [](bits a, bits b) { return a > b; });
    return warp::broadcast(best, int(k) - 1);
  }
  // Puts those that are chosen into `room` behind `count` others, in their order, as far as it has
  // `places`. Returns how many these make.
  template <class Choose>
  __device__ unsigned put(typename ranked<bits>::type* room, unsigned count, unsigned places,
                          Choose is_chosen) const {
    unsigned const lane = threadIdx.x % 32, before = (1u << lane) - 1;
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      bool const chosen = (live >> j & 1) && is_chosen(key[j]);
      unsigned const votes = __ballot_sync(~0u, chosen);
      if (unsigned const at = count + unsigned(__popc(votes & before)); chosen && at < places)
        room[at] = ranked<bits>::of(key[j], j * 32 + lane);
      count += unsigned(__popc(votes));
    }
    return count;
  }
};

// Calls emit(place, key, index) for the best of a row, and returns how many there are.
template <int Each, class Row, class Emit>
__device__ unsigned top_k_of_short_row(Row const& row, rank_order<typename Row::bits> const& order,
                                       unsigned k, bool sorted,
                                       typename ranked<typename Row::bits>::type* room, Emit emit) {
  using bits = typename Row::bits;
  using rank = ranked<bits>;
  using pair = typename rank::type;
  unsigned const lane = threadIdx.x % 32;
  held_row<Row, Each> const held(row, order);
  bits const least = held.threshold(k);

  // All above the threshold, and of those at it the first, which are the first by index.
  unsigned const above = held.put(room, 0, 32, [&](bits key) { return key > least; });
  unsigned used = 0;
  pair mine = rank::of(0, 0);
  if (above <= 32) {
    used = held.put(room, above, k, [&](bits key) { return key == least; });
    used = above > k ? above : used < k ? used : k;
    __syncwarp();
    if (lane < used) mine = room[lane];
    // Past the end, what comes after all others: no element has this index.
    if (lane >= used) mine = rank::of(0, ~0u);
    mine = warp::sort(mine, [](pair const& a, pair const& b) { return rank::first(a, b); });
    used = used < k ? used : k;
  } else {  // many in few lanes
    struct best_first {
      __device__ bool operator()(entry<bits> const& a, entry<bits> const& b) const {
        return a.value != b.value ? a.value > b.value : a.index < b.index;
      }
    };
    warp::running_top_k<bits, std::uint32_t, best_first> best{int(k)};
#pragma unroll 1
    for (unsigned i = lane; i < longest_short_row; i += 32) {
      bool const there = i < row.count;
      best.add({there ? order(row[i]) : bits(0), i}, there);
      if (i - lane + 32 >= row.count) break;
    }
    used = unsigned(best.count());
    mine = rank::of(best.mine().value, best.mine().index);
  }
  if (!sorted) {
    pair const last = rank::of(0, ~0u);
    mine = warp::sort(lane < used ? mine : last,
                      [](pair const& a, pair const& b) { return rank::index(a) < rank::index(b); });
  }
  __syncwarp();
  if (lane < used) emit(lane, rank::key(mine), rank::index(mine));
  return used;
}

template <int Each, class In>
__global__ void __launch_bounds__(32 * short_row_warps)
    top_k_short_rows(__grid_constant__ top_k_request<In> const call) {
  __shared__ typename ranked<typename top_k_request<In>::bits>::type room[short_row_warps][32];
  await_launches_before();
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint64_t const step = std::uint64_t(gridDim.x) * short_row_warps;
#pragma unroll 1
  for (std::uint64_t r = std::uint64_t(blockIdx.x) * short_row_warps + warp; r < call.rows.count;
       r += step)
    select_row(call, r, lane, 32, [&](unsigned k, output_for<In> const& out) {
      return top_k_of_short_row<Each>(
          out.row, call.order, k, call.how.sorted, room[warp],
          [&](unsigned place, auto key, std::uint32_t index) { out.put_key(place, key, index); });
    });
}

}  // namespace tally::device
