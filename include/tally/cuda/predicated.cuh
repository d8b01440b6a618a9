// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tally {

// Adds x if the condition holds, by a predicate: an array whose elements are selected is put into
// memory, by ptxas.
__device__ inline void add_if(bool condition, std::int64_t& sum, std::int64_t x) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p add.s64 %0, %0, %2; }"
      : "+l"(sum)
      : "r"(int(condition)), "l"(x));
#else
  if (condition) sum += x;
#endif
}

}  // namespace tally
