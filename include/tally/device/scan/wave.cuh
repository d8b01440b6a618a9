// SPDX-License-Identifier: Apache-2.0
//
// Scans of an array that fits on the device at once, in a wave: a block has one tile, whose
// elements it keeps in shared memory while blocks tell one another their totals, once. An only
// block tells nobody anything. All blocks run at the same time (a cooperative launch), so that one
// may wait for any other. This file names no aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/epoch.cuh"
#include "tally/device/grid/tickets.cuh"
#include "tally/device/scan/tile.cuh"

namespace tally::device {

// What the warps of a block tell one another.
template <class Prefix>
struct wave_board {
  static constexpr int warps = Prefix::wave_threads / warp_size;
  static_assert(warps <= warp_size);

  typename Prefix::total total[warps];
  typename Prefix::before before[warps];
  typename Prefix::start start;
  phase_barrier loaded[warps];
};

// The block of the last tile waits for what all others publish, and so ends the launch: they have
// taken the epoch. Where words are cleared then, which it must be the last to read, it is the block
// that is the last to count itself.
__device__ inline void leave_wave(workspace const& w, std::uint32_t epoch) {
  bool const clears = epoch == ~std::uint32_t(0);
  if (clears)
    tickets(w).leave(epoch);
  else if (blockIdx.x == gridDim.x - 1 && threadIdx.x % warp_size == 0)
    end_epoch(w, epoch);
}

template <class Prefix, class Source, int Vectors>
__global__ void __launch_bounds__(Prefix::wave_threads, 1)
    scan_wave(__grid_constant__ scan_call<Prefix, Source, one_row> const call) {
  using tiling = scan_tiling<Prefix, Source, one_row, Vectors>;
  __shared__ wave_board<Prefix> board;
  unsigned const warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
  tile_of<one_row> const tile{blockIdx.x};
  bool const alone = gridDim.x == 1, is_last = tile.number == gridDim.x - 1;
  auto* const memory = dynamic_shared<unsigned char>() + warp * tiling::part_bytes;
  auto const p = tiling::part_at(call, tiling::place_of(call, tile, warps, warp), memory);

  auto& loaded = board.loaded[warp];
  if (threadIdx.x % warp_size == 0) {
    loaded.make(1);
    Prefix::clear(board.total[warp]);
    barriers_are_made();
  }
  __syncwarp();
  await_launches_before();
  tiling::load(call, p, memory, loaded);
  epoch_to_come epoch;
  if (!alone) epoch.ask(call.w);
  loaded.await(0);
  auto const here = call.prefix.gather(p, board.total[warp]);
  __syncthreads();

  // One warp tells the tile's total, and another learns those of the tiles before.
  auto const totals = call.totals(tile.row, alone ? 0 : epoch.take());
  if (warp == 0)
    call.prefix.publish(totals, tile.number, is_last, board.total, warps, board.before);
  if (warp == warps - 1) {
    call.prefix.start_in_wave(totals, tile.number, board.start);
    if (!alone) leave_wave(call.w, totals.epoch);
  }
  __syncthreads();
  let_next_launch_start();

  call.prefix.results(p, board.total, warp, board.start, board.before[warp], here, call.total);
  tiling::template store<false>(call, p, memory);
}

}  // namespace tally::device
