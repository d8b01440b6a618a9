// SPDX-License-Identifier: Apache-2.0
//
// Reductions of segments, whose lengths vary and whose first elements lie anywhere: by groups of
// lanes as long as most need. Vectors of which a segment has some elements alone are read element
// by element beside the others, so that nobody waits for a segment's ends. Far longer ones take a
// warp.
#pragma once

#include "tally/device/reduce/rows/by_lanes.cuh"

namespace tally::device {

// What one of the lanes of a group has of n elements that lie side by side. Their places are
// counted from an address that vectors can be loaded from.
template <class Lanes, class T, class Place>
__device__ typename Lanes::sum add_segment(Lanes const& lanes, T const* data, Place n,
                                           unsigned lane, unsigned group) {
  constexpr unsigned each = vector_size<T>, loads = each < 8 ? 4 : 16 / each;
  constexpr unsigned whole = ~0u >> (32 - each);
  auto sum = lanes.none();
  if (n == 0) return sum;
  Place const lead = unsigned(reinterpret_cast<std::uintptr_t>(data) % vector_bytes / sizeof(T));
  Place const end = lead + n, step = Place(group) * each;
  T const* const from = data - lead;
#pragma unroll 1
  for (Place at = Place(lane) * each; at < end; at += loads * step) {
    batch<T, 1> x[loads];
    unsigned live[loads];
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) {
      Place const first = at + j * step;
      live[j] = 0;
      if (first >= end) continue;
      if (first >= lead && end - first >= each) {
        x[j].load(0, from + first);
        live[j] = whole;
        continue;
      }
      x[j].clear(0);
#pragma unroll
      for (unsigned k = 0; k < each; ++k)
        if (first + k >= lead && first + k < end)
          x[j].set(int(k), from[first + k]), live[j] |= 1u << k;
    }
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) {
      std::uint64_t const first = std::uint64_t(at + j * step) - lead;
      if (live[j] == whole)
        add_vector(lanes, sum, x[j], first);
      else if (live[j] != 0)
#pragma unroll
        for (unsigned k = 0; k < each; ++k)
          if (live[j] >> k & 1) lanes.add(sum, x[j][int(k)], first + k);
    }
  }
  return sum;
}

template <class Lanes, class In>
__global__ void __launch_bounds__(lanes_threads)
    reduce_segments_by_lanes(__grid_constant__ lanes_call<Lanes, In> const call) {
  await_launches_before();
  auto const& in = call.in;
  auto const thread = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto const groups = std::uint64_t(gridDim.x) * blockDim.x / call.group;
  unsigned const lane = threadIdx.x % call.group, in_warp = threadIdx.x % warp_size;
  // All lanes of a warp go round equally often, for their shuffles.
  std::uint64_t first_of_warp = thread / warp_size * warp_size / call.group;
#pragma unroll 1
  for (std::uint64_t r = thread / call.group; first_of_warp < in.count;
       r += groups, first_of_warp += groups) {
    std::uint64_t const n = r < in.count ? in.size(r) : 0;
    auto const* const data = r < in.count ? in.data + in.begin(r) : in.data;
    bool const is_short = n <= call.part;
    auto sum =
        fold_group(call.lanes,
                   add_segment(call.lanes, data, is_short ? std::uint32_t(n) : 0, lane, call.group),
                   call.group);
    for (unsigned left = __ballot_sync(~0u, !is_short && lane == 0); left != 0; left &= left - 1) {
      int const from = __ffs(int(left)) - 1;
      std::uint64_t const other = warp::broadcast(r, from);
      auto const all = fold_group(call.lanes,
                                  add_segment(call.lanes, in.data + in.begin(other), in.size(other),
                                              in_warp, unsigned(warp_size)),
                                  unsigned(warp_size));
      if (in_warp == unsigned(from)) sum = all;
    }
    if (r < in.count && lane == 0) finish_row(call, r, sum);
  }
  let_next_launch_start();
}

}  // namespace tally::device
