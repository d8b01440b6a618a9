// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/cuda_error.cuh"

namespace tally {

namespace detail {

// What a kernel was granted that needs more than 48 KiB of shared memory: it asks once, not in each
// launch, which would take the host half a microsecond. One word, for threads that launch at once.
class granted_shared {
 public:
  // Asks for the current device, unless that was the last to be granted.
  void ask(void const* kernel, std::size_t bytes) {
    int device;
    check(cudaGetDevice(&device));
    auto const pieces = (bytes + 15) / 16;
    auto const now = std::uint64_t(reinterpret_cast<std::uintptr_t>(kernel)) << 17 |
                     std::uint64_t(device & 7) << 14 | pieces;
    if (__atomic_load_n(&last_, __ATOMIC_RELAXED) == now) return;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(16 * pieces)));
    __atomic_store_n(&last_, now, __ATOMIC_RELAXED);
  }
  void forget() { __atomic_store_n(&last_, 0, __ATOMIC_RELAXED); }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace detail

// Launches a kernel: launch(kernel, grid, block, shared_bytes, stream)(arguments...). Asynchronous;
// throws tally::error where the launch itself is refused.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0,
            cudaStream_t stream = nullptr) {
  return [=](std::type_identity_t<Parameters>... arguments) {
    constexpr std::size_t without_asking = 16 << 10;  // 48 KiB, less the kernel's own variables
    static detail::granted_shared granted;            // to the last kernel of this type that asked
    bool const asks = shared_bytes > without_asking;
    auto const ask = [&] { granted.ask(reinterpret_cast<void const*>(kernel), shared_bytes); };
    if (asks) ask();
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    auto code = cudaLaunchKernelEx(&config, kernel, arguments...);
    if (code == cudaErrorInvalidValue && asks) {  // something else took back what was granted
      cudaGetLastError();
      granted.forget();
      ask();
      code = cudaLaunchKernelEx(&config, kernel, arguments...);
    }
    check(code);
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
