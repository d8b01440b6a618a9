// SPDX-License-Identifier: Apache-2.0
//
// The k best of each of many rows of mid length, for small k: a warp a row, which it streams.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/select/warp_row.cuh"
#include "tally/device/top_k_request.cuh"

namespace tally::device {

inline constexpr int warp_rows_warps = 4;  // of a block
// Blocks that a multiprocessor has registers for, without a spill.
template <class Bits>
inline constexpr int warp_rows_blocks = sizeof(Bits) == 4   ? 8
                                        : sizeof(Bits) == 2 ? 5
                                                            : 4;
inline constexpr int longest_warp_row = 32768, most_of_warp_row = 4 * warp_size;
// So many warps keep a multiprocessor busy; for fewer rows, warps share them.
inline constexpr int warp_rows_of_a_multiprocessor = 12;

template <class In>
struct warp_rows_call : top_k_request<In> {
  unsigned limit;  // of entries that a warp puts aside

  explicit warp_rows_call(top_k_request<In> const& of)
      : top_k_request<In>(of),
        limit(warp_row_room<typename top_k_request<In>::bits>::limit(of.how.most)) {}
};

// Puts the best of the row r, which are in the list, into its places of the output.
template <class Row>
__device__ void put_best(Row const& row, rank_order<typename Row::bits> const& order,
                         warp_list<typename Row::bits>& best, std::uint64_t r,
                         detail::gpu_selection<typename Row::bits> const& how) {
  if (best.count() <= 32)
    best.template sort<1>(how.sorted);
  else if (best.count() <= 64)
    best.template sort<2>(how.sorted);
  else
    best.template sort<4>(how.sorted);
  std::uint64_t const first = r * how.most;
#pragma unroll 1
  for (unsigned i = threadIdx.x % 32; i < best.count(); i += 32) {
    auto const key = best.key(i);
    unsigned const index = best.index(i);
    how.put(first + i, order.is_of_several(key) ? row[index] : order.element_of(key), index);
  }
}

template <class In>
__global__ void __launch_bounds__(32 * warp_rows_warps,
                                  warp_rows_blocks<bits_of<typename In::element>>)
    top_k_warp_rows(__grid_constant__ warp_rows_call<In> const call) {
  using bits = bits_of<typename In::element>;
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  warp_row_room<bits> const room(
      dynamic_shared<unsigned char>() + warp * warp_row_room<bits>::bytes(call.limit), call.limit);
  await_launches_before();
  std::uint64_t const step = std::uint64_t(gridDim.x) * warp_rows_warps;
#pragma unroll 1
  for (std::uint64_t r = std::uint64_t(blockIdx.x) * warp_rows_warps + warp; r < call.rows.count;
       r += step) {
    auto const row = passing(row_of(call.in, call.rows.begin(r), call.rows.size(r)));
    auto const asked = call.how.k_of(r);
    auto const k = unsigned(asked < row.count ? asked : row.count);
    unsigned count = 0;
    if (k > 0) {
      warp_selection selection(row, call.order, k, room, call.limit);
      auto& best = selection();
      count = best.count();
      put_best(row, call.order, best, r, call.how);
    }
#pragma unroll 1
    for (unsigned i = count + lane; i < call.how.most; i += 32)
      call.how.put(r * call.how.most + i, call.how.missing, -1);
    if (lane == 0 && call.how.counts) call.how.counts[r] = count;
    if (lane == 0 && call.how.paths)
      atomicAdd(call.how.paths + unsigned(detail::top_k_path::warp_rows), 1u);
    __syncwarp();
  }
}

}  // namespace tally::device
