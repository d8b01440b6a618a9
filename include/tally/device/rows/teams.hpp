// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a GPU share a row. Needs no CUDA toolkit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tally/device/grid/workspace.hpp"
#include "tally/rows.hpp"

namespace tally::detail {

// What a choice of kernels depends on beside the call. Where a launch of `together` blocks that are
// to run at once has been refused, the next choice is made for fewer.
struct gpu_limits {
  unsigned multiprocessors, together;
  std::size_t shared_memory;  // of a block
  bool sorts = false;         // whether the call's context has a sort of many
};

// How many blocks that need so much shared memory a multiprocessor has room for, of two. A launch
// of more together is refused, which would end a capture.
inline unsigned blocks_with_room(std::size_t shared_bytes, std::size_t of_a_block) {
  constexpr std::size_t of_system = 1024;  // for each block
  return 2 * (shared_bytes + of_system) <= of_a_block + of_system ? 2 : 1;
}

// Few long rows are shared by teams of blocks that are all resident; else each block has rows of
// its own, one after the other.
struct row_teams {
  unsigned blocks;  // of a team
  unsigned teams;

  bool meet() const { return blocks > 1; }
  unsigned all_blocks() const { return blocks * teams; }
};

// Each row has as many of the blocks that run together as there are for it, but no more than `most`
// and none with less than so many elements of the longest row.
inline row_teams teams_for(row_layout const& rows, std::uint64_t least, unsigned together,
                           unsigned alone, unsigned most = ~0u) {
  if (rows.count < together && rows.count <= device::workspace::max_sums) {
    auto const blocks = std::min<std::uint64_t>(
        {std::max<std::uint64_t>(1, rows.length / least), together / rows.count, most});
    if (blocks > 1) return {unsigned(blocks), unsigned(rows.count)};
  }
  return {1, unsigned(std::min<std::uint64_t>(rows.count, alone))};
}

}  // namespace tally::detail
