// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a kernel that searches rows by teams of blocks.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/kth_value.cuh"
#include "tally/device/launch_context.cuh"

namespace tally::detail {

// Blocks of a team, where there are as many for each row: none has less than a tile.
template <class Bits>
unsigned blocks_that_search(gpu_rows const& rows, unsigned blocks) {
  constexpr std::uint64_t tile = device::row_batch<Bits>::items * device::selecting_threads;
  auto const tiles = std::max<std::uint64_t>(1, rows.length / tile);
  return unsigned(std::min(tiles, blocks / rows.count));
}

// Few long rows are shared by blocks that are all resident, if there is room for them; else each
// block has rows of its own.
template <auto Kernel, class Call, memory_context Context, class In>
void search_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                   rank_order<typename Call::bits> const& order, auto const& how) {
  using bits = typename Call::bits;
  using memory = device::search_memory<bits, typename Call::index>;
  unsigned const most = 2 * unsigned(context.multiprocessors());
  auto const call_with = [&](unsigned blocks, std::uint64_t teams) {
    auto const m = context.memory(blocks > 1, teams * memory::bytes(blocks));
    return Call{in, rows, order, how, blocks, m.w, m.scratch};
  };
  for (unsigned room = most; room > rows.count && rows.count <= device::team::most; room /= 2) {
    unsigned const blocks = blocks_that_search<bits>(rows, room);
    if (blocks == 1) break;
    auto const launch = launch_together<Kernel>(unsigned(rows.count) * blocks,
                                                device::selecting_threads, 0, context.stream());
    if (launch(call_with(blocks, rows.count))) return;
  }
  auto const blocks = unsigned(std::min<std::uint64_t>(rows.count, 2 * most));
  launch_early<Kernel>(blocks, device::selecting_threads, 0,
                       context.stream())(call_with(1, blocks));
}

}  // namespace tally::detail
