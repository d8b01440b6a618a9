// SPDX-License-Identifier: Apache-2.0
//
// How the blocks of a launch tell one another their totals.
#pragma once

#include "tally/device/grid/status_word.cuh"

namespace tally::device {

// In a reduction block b publishes for the first one, as tile b - 1; in a scan tiles are published
// for all: a small state by tile_states.cuh, an exact sum by exact_totals.cuh. A group of integers
// goes by sparse_totals.cuh.
struct mailbox {
  status_word* words;
  std::uint64_t* sums;  // which blocks may add to; or null
  std::uint32_t epoch;
  std::uint32_t tiles = 0;  // of a scan
};

}  // namespace tally::device
