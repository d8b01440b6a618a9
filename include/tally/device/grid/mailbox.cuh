// SPDX-License-Identifier: Apache-2.0
//
// How the blocks of a launch tell its first block their totals.
#pragma once

#include "tally/device/grid/status_word.cuh"

namespace tally::device {

// Block b publishes as tile b - 1: a small state by tile_states.cuh, many integers by
// sparse_totals.cuh.
struct mailbox {
  status_word* words;
  std::uint64_t* sums;  // which blocks may add to; or null
  std::uint32_t epoch;
};

}  // namespace tally::device
