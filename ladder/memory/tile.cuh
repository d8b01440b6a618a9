// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/memory/memory.cuh"

namespace ladder::memory {

// Calls use(tile) for every tile of `words` numbers, each brought to shared memory by one warp,
// which alone sees it; a tile that reaches beyond n ends in zeros.
template <class Use>
__device__ void for_each_tile(int const* in, std::size_t n, unsigned words, Use use) {
  unsigned const lane = threadIdx.x % 32;
  int* const tile = tally::dynamic_shared<int>() + threadIdx.x / 32 * words;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t begin = warp * words; begin < n; begin += warps * words) {
    for (unsigned i = lane; i < words; i += 32) tile[i] = begin + i < n ? in[begin + i] : 0;
    __syncwarp();
    use(tile);
    __syncwarp();
  }
}

inline std::size_t tile_bytes(unsigned block, unsigned words) {
  return std::size_t{block} / 32 * words * sizeof(int);
}

}  // namespace ladder::memory
