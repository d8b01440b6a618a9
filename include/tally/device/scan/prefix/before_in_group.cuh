// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/warp/scan.cuh"

namespace tally::device {

// What the threads of a group before the calling one have, joined; `none` in the first. A group has
// `width` threads, a power of 2: those of more than a warp are the block. All threads call this.
template <class T, class Join>
__device__ T before_in_group(T const& x, T const& none, Join join, unsigned width) {
  alignas(16) __shared__ unsigned char memory[warp_size * sizeof(T)];
  auto* const totals = reinterpret_cast<T*>(memory);  // in which no constructor has run
  unsigned const in_warp = width < unsigned(warp_size) ? width : unsigned(warp_size);
  unsigned const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  T const through = warp::inclusive_scan_of(x, join, in_warp);
  T before = warp::shift_up(through);
  if ((lane & (in_warp - 1)) == 0) before = none;
  if (width == in_warp) return before;
  if (lane == warp_size - 1) totals[warp] = through;
  __syncthreads();
  T const mine = lane < width / warp_size ? totals[lane] : none;
  T const warps = warp::inclusive_scan(mine, join);
  __syncthreads();  // the memory is free again
  return warp == 0 ? before : join(warp::broadcast(warps, int(warp) - 1), before);
}

}  // namespace tally::device
