// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a kernel that searches rows by teams of blocks.
#pragma once

#include "tally/device/kth_value.cuh"
#include "tally/device/start_teams.cuh"

namespace tally::detail {

template <auto Kernel, class Call, memory_context Context, class In>
void search_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                   rank_order<typename Call::bits> const& order, auto const& how) {
  using bits = typename Call::bits;
  using memory = device::search_memory<bits, typename Call::index>;
  unsigned const most = 2 * unsigned(context.multiprocessors());
  start_teams<Kernel>(
      context, rows, {most, 2 * most},
      [&](unsigned blocks) { return blocks_of_a_team(rows, blocks, device::selecting_tile<bits>); },
      [](unsigned) { return 0; },
      [&](unsigned blocks, unsigned teams) {
        auto const m = context.memory(blocks > 1, teams * memory::bytes(blocks));
        return Call{in, rows, order, how, blocks, m.w, m.scratch};
      });
}

}  // namespace tally::detail
