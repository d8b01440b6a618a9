// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a kernel whose blocks share rows as teams, or have some of their own.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/select/row.cuh"
#include "tally/device/top_k_shape.hpp"

namespace tally::detail {

// How much shared memory a block may have: what the device lets it, unless a context has less.
template <launch_context Context>
std::size_t shared_memory_of(Context& context) {
  if constexpr (requires { context.shared_memory(); })
    return context.shared_memory();
  else
    return shared_memory_of_a_block();
}

// How many blocks that need so much shared memory a multiprocessor has room for, of two. A launch
// of more together is refused, which would end a capture.
inline unsigned blocks_with_room(std::size_t shared_bytes, std::size_t of_a_block) {
  constexpr std::size_t of_system = 1024;  // for each block
  bool const two = 2 * (shared_bytes + of_system) <= of_a_block + of_system;
  return two ? 2 : 1;
}

// How many of so many blocks share a row: as many as there are for each, and none with less than so
// many elements of the longest.
inline unsigned blocks_of_a_team(gpu_rows const& rows, unsigned blocks, std::uint64_t least) {
  auto const most = std::max<std::uint64_t>(1, rows.length / least);
  return unsigned(std::min(most, blocks / rows.count));
}

// How many blocks are started: together, where several share a row, or else alone.
struct most_blocks {
  unsigned together, alone;
};

// Few long rows are shared by blocks that are all resident, if there is room for them; else each
// block has rows of its own. blocks_of(n) says how many of n blocks share a row, and
// call_with(blocks, teams) is what the kernel is told of so many blocks a team.
template <auto Kernel, launch_context Context, class Blocks, class Shared, class Call>
void start_teams(Context& context, gpu_rows const& rows, most_blocks const& most, Blocks blocks_of,
                 Shared shared_bytes, Call call_with) {
  constexpr auto threads = device::selecting_threads;
  for (unsigned room = most.together; room > rows.count && rows.count <= device::team::most;
       room /= 2) {
    unsigned const blocks = blocks_of(room);
    if (blocks == 1) break;
    auto const launch = launch_together<Kernel>(unsigned(rows.count) * blocks, threads,
                                                shared_bytes(blocks), context.stream());
    if (launch(call_with(blocks, unsigned(rows.count)))) return;
  }
  auto const blocks = unsigned(std::min<std::uint64_t>(rows.count, most.alone));
  launch_early<Kernel>(blocks, threads, shared_bytes(1), context.stream())(call_with(1, blocks));
}

}  // namespace tally::detail
