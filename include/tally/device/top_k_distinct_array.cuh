// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k of different values.
#pragma once

#include <algorithm>

#include "tally/device/launch_context.cuh"
#include "tally/device/top_k_distinct.cuh"

namespace tally::detail {

template <class Index, memory_context Context, class In>
void select_distinct_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                            rank_order<bits_of<typename In::element>> const& order,
                            gpu_selection<bits_of<typename In::element>> const& how) {
  using bits = bits_of<typename In::element>;
  using memory = device::distinct_memory<bits, Index>;
  auto const most = 2 * unsigned(context.multiprocessors());
  auto const call_with = [&](unsigned blocks, std::uint64_t teams) {
    auto const m = context.memory(
        blocks > 1, teams * memory::bytes(blocks, rows.length, how.sorted ? 0 : how.most));
    return device::distinct_call<In, Index>{in,  rows,     order, how, blocks, unsigned(teams),
                                            m.w, m.scratch};
  };
  for (unsigned room = most; room > rows.count && rows.count <= device::team::most; room /= 2) {
    auto const tiles = std::max<std::uint64_t>(1, rows.length / 2048);
    auto const blocks = unsigned(std::min<std::uint64_t>(tiles, room / rows.count));
    if (blocks == 1) break;
    if (launch_together<device::top_k_distinct<In, Index>>(
            unsigned(rows.count) * blocks, device::selecting_threads, 0,
            context.stream())(call_with(blocks, rows.count)))
      return;
  }
  // Few at a time, since each has the memory of a whole row.
  auto const blocks = unsigned(std::min<std::uint64_t>(rows.count, most));
  launch_early<device::top_k_distinct<In, Index>>(blocks, device::selecting_threads, 0,
                                                  context.stream())(call_with(1, blocks));
}

// Selects the best different values of each row of `in`, in memory that the device can read;
// asynchronously.
template <memory_context Context, class In>
void top_k_distinct_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                           rank_order<bits_of<typename In::element>> const& order,
                           gpu_selection<bits_of<typename In::element>> const& how) {
  if (rows.count == 0 || (how.most == 0 && !how.counts)) return;
  if (rows.length <= device::longest_of_32_bits)
    select_distinct_on_gpu<std::uint32_t>(context, in, rows, order, how);
  else
    select_distinct_on_gpu<std::uint64_t>(context, in, rows, order, how);
}

}  // namespace tally::detail
