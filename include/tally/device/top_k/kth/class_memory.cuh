// SPDX-License-Identifier: Apache-2.0
//
// What the threads of a block share while they count classes of elements.
#pragma once

#include <cstdint>

#include "tally/types.hpp"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// The last one is that of NaNs.
inline constexpr unsigned most_classes = 64, class_of_nans = most_classes - 1;
inline constexpr unsigned most_splitters = most_classes - 2;

// Counts: a class has two rows, one of them for what is wanted, and a row one for each lane, so
// that no two of a warp meet at one. And splitters as numbers, past the last ones that nothing is
// above.
struct class_memory {
  std::uint32_t counts[2 * most_classes * warp_size];
  alignas(8) unsigned char splitters[most_classes * 8];

  template <class Number>
  __device__ Number* splitters_as() {
    return reinterpret_cast<Number*>(splitters);
  }
};
// From a function, so that the compiler knows where they are.
__device__ inline class_memory& shared_classes() {
  __shared__ class_memory memory;
  return memory;
}
__device__ inline std::uint32_t* counts_of_lane() {
  return shared_classes().counts + threadIdx.x % warp_size;
}
__device__ constexpr unsigned row_of(unsigned c, bool is_wanted = false) {
  return (2 * c + is_wanted) * warp_size;
}

}  // namespace tally::device
