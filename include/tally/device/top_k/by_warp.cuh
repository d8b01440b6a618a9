// SPDX-License-Identifier: Apache-2.0
//
// The k best of each of many rows of mid length, for small k: a warp a row, which it streams.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/warp_row.cuh"

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

template <class Bits>
std::size_t warp_rows_shared_bytes(std::uint64_t k) {
  return warp_rows_warps * warp_row_room<Bits>::bytes(warp_row_room<Bits>::limit(k));
}

// Puts a row's best, which are in the list, into its places of the output.
template <class Bits, class Out>
__device__ void put_best(warp_list<Bits>& best, bool sorted, Out const& out) {
  if (best.count() <= 32)
    best.template sort<1>(sorted);
  else if (best.count() <= 64)
    best.template sort<2>(sorted);
  else
    best.template sort<4>(sorted);
#pragma unroll 1
  for (unsigned i = threadIdx.x % 32; i < best.count(); i += 32)
    out.put_key(i, best.key(i), best.index(i));
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
    select_row(call, r, lane, 32, [&](unsigned k, output_for<In> const& out) {
      warp_selection selection(passing(out.row), call.order, k, room, call.limit);
      auto& best = selection();
      put_best(best, call.how.sorted, out);
      return best.count();
    });
    __syncwarp();
  }
}

}  // namespace tally::device
