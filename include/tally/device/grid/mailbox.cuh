// SPDX-License-Identifier: Apache-2.0
//
// How the blocks of a launch tell its first block their totals.
#pragma once

#include "tally/device/grid/status_word.cuh"

namespace tally::device {

// What each block but the first publishes is the tile of its number less one: small states by
// tile_states, many integers by sparse_totals.cuh.
struct mailbox {
  status_word* words;
  std::uint64_t* sums;  // which blocks may add to; or null
  std::uint32_t epoch;
};

}  // namespace tally::device
