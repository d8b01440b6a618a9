// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "tally/cuda_error.cuh"

namespace tally {

// Launches a kernel: launch(kernel, grid, block, shared_bytes, stream)(arguments...). Asynchronous;
// throws tally::error where the launch itself is refused.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0,
            cudaStream_t stream = nullptr) {
  return [=](std::type_identity_t<Parameters>... arguments) {
    constexpr std::size_t without_asking = 16 << 10;  // 48 KiB, less the kernel's own variables
    if (shared_bytes > without_asking) {
      check(cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)));
    }
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
  };
}

alignas(16) extern __shared__ unsigned char tally_dynamic_shared[];

// The block's dynamic shared memory, of the size that the launch asked for; 16-byte aligned.
template <class T>
__device__ T* dynamic_shared() {
  static_assert(alignof(T) <= 16);
  return reinterpret_cast<T*>(tally_dynamic_shared);
}

}  // namespace tally
