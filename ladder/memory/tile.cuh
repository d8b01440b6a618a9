// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/memory/memory.cuh"

namespace ladder::memory {

// Rows of 32 numbers, `pitch` words of shared memory from one to the next.
struct tile_shape {
  unsigned rows, pitch = 32;
};

// Calls use(tile) for every tile of numbers, each brought to shared memory by one warp, which alone
// sees it; a tile that reaches beyond n ends in zeros.
template <class Use>
__device__ void for_each_tile(int const* in, std::size_t n, tile_shape shape, Use use) {
  unsigned const lane = threadIdx.x % 32, numbers = shape.rows * 32;
  int* const tile = tally::dynamic_shared<int>() + threadIdx.x / 32 * shape.rows * shape.pitch;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t begin = warp * numbers; begin < n; begin += warps * numbers) {
    for (unsigned row = 0; row < shape.rows; ++row) {
      std::size_t const i = begin + row * 32 + lane;
      tile[row * shape.pitch + lane] = i < n ? in[i] : 0;
    }
    __syncwarp();
    use(tile);
    __syncwarp();
  }
}

inline std::size_t tile_bytes(unsigned block, tile_shape shape) {
  return std::size_t{block} / 32 * shape.rows * shape.pitch * sizeof(int);
}

}  // namespace ladder::memory
