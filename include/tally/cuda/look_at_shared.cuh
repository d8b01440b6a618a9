// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace tally {

// A relaxed load, for the threads of a block, of what is in shared memory, as the compiler need not
// see: the built-in function is for an address of any kind, which takes several times as long.
template <class T>
__device__ T look_at_shared(T& at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#ifdef __CUDA_ARCH__
  T x;
  auto const address = unsigned(__cvta_generic_to_shared(&at));
  if constexpr (sizeof(T) == 4)
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(x) : "r"(address) : "memory");
  return x;
#else
  return __nv_atomic_load_n(&at, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

}  // namespace tally
