// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the best of rows, gathered by their indices when these are known.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k_shape.hpp"

namespace tally::device {

inline constexpr unsigned gathering_threads = 256;

// Entries are copied by words as wide as they and their addresses allow.
template <class Word>
struct gather_call {
  detail::gpu_rows rows;
  std::uint64_t most;           // places a row
  std::int64_t const* indices;  // of each place; below 0: of no element
  Word const* entries;
  Word* chosen;
  unsigned shift;  // an entry has 2^shift words
};

// A thread a word: neighbours write neighbouring words.
template <class Word>
__global__ void __launch_bounds__(gathering_threads)
    gather_payload(__grid_constant__ gather_call<Word> const call) {
  await_launches_before();
  std::uint64_t const words = call.rows.count * call.most << call.shift;
  std::uint64_t const step = std::uint64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
       i += step) {
    std::uint64_t const place = i >> call.shift, within = i & ((1u << call.shift) - 1);
    std::int64_t const index = call.indices[place];
    Word word = 0;
    if (index >= 0) {
      std::uint64_t const entry = call.rows.begin(place / call.most) + std::uint64_t(index);
      word = call.entries[(entry << call.shift) + within];
    }
    call.chosen[i] = word;
  }
}

}  // namespace tally::device
