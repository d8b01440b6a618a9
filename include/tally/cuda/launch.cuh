// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/cuda/cuda_error.cuh"

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

// How much shared memory a block may have on the current device. Asked once a device.
inline std::size_t shared_memory_of_a_block() {
  constexpr int devices = 32;
  static int known[devices];
  int device, bytes = 0;
  check(cudaGetDevice(&device));
  if (device < devices) bytes = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
  if (bytes == 0) {
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (device < devices) __atomic_store_n(&known[device], bytes, __ATOMIC_RELAXED);
  }
  return std::size_t(bytes);
}

// Whether what the current device runs of a kernel is code for 9.0 or later, which can wait for the
// launches before it; code for earlier ones runs on later devices, too. Asked once a device.
class can_wait {
 public:
  bool of(void const* kernel) {
    int device;
    check(cudaGetDevice(&device));
    if (device >= 32) return false;
    std::uint64_t const known = std::uint64_t(1) << device, waits = known << 32;
    auto now = __atomic_load_n(&devices_, __ATOMIC_RELAXED);
    if (!(now & known)) {
      cudaFuncAttributes found;
      check(cudaFuncGetAttributes(&found, kernel));
      now = known | (found.ptxVersion >= 90 ? waits : 0);
      __atomic_fetch_or(&devices_, now, __ATOMIC_RELAXED);
    }
    return now & waits;
  }

 private:
  std::uint64_t devices_ = 0;
};

template <class... Parameters>
cudaError_t launch_as(cudaLaunchConfig_t const& config, granted_shared& granted,
                      void (*kernel)(Parameters...),
                      std::type_identity_t<Parameters>... arguments) {
  constexpr std::size_t without_asking = 8 << 10;  // 48 KiB, less the kernel's own variables
  bool const asks = config.dynamicSmemBytes > without_asking;
  auto const ask = [&] {
    granted.ask(reinterpret_cast<void const*>(kernel), config.dynamicSmemBytes);
  };
  if (asks) ask();
  auto code = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (code == cudaErrorInvalidValue && asks) {  // something else took back what was granted
    cudaGetLastError();
    granted.forget();
    ask();
    code = cudaLaunchKernelEx(&config, kernel, arguments...);
  }
  return code;
}

inline cudaLaunchConfig_t launch_config(dim3 grid, dim3 block, std::size_t shared_bytes,
                                        cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

}  // namespace detail

// Launches a kernel: launch(kernel, grid, block, shared_bytes, stream)(arguments...). Asynchronous;
// throws tally::error where the launch itself is refused.
template <class... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes = 0,
            cudaStream_t stream = nullptr) {
  return [=](std::type_identity_t<Parameters>... arguments) {
    static detail::granted_shared granted;  // to the last kernel of this type that asked
    check(detail::launch_as(detail::launch_config(grid, block, shared_bytes, stream), granted,
                            kernel, arguments...));
  };
}

namespace detail {

template <auto Kernel>
auto launch_with(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                 bool together) {
  return [=](auto const&... arguments) {
    static granted_shared granted;
    static can_wait waits;
    auto config = launch_config(grid, block, shared_bytes, stream);
    cudaLaunchAttribute attributes[2]{};
    config.attrs = attributes;
    if (waits.of(reinterpret_cast<void const*>(Kernel))) {
      auto& early = attributes[config.numAttrs++];
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
    }
    if (together) {
      auto& all = attributes[config.numAttrs++];
      all.id = cudaLaunchAttributeCooperative;
      all.val.cooperative = 1;
    }
    return launch_as(config, granted, Kernel, arguments...);
  };
}

}  // namespace detail

// The same for a kernel that calls await_launches_before(): its blocks may start under the end of
// the launch before it on the stream (programmatic dependent launch, from compute capability 9.0).
template <auto Kernel>
auto launch_early(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                  cudaStream_t stream = nullptr) {
  return [=](auto const&... arguments) {
    check(detail::launch_with<Kernel>(grid, block, shared_bytes, stream, false)(arguments...));
  };
}

// The same for blocks that wait for one another: all run at the same time (a cooperative launch).
// Returns false, and launches nothing, where a device has no room for them.
template <auto Kernel>
auto launch_together(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                     cudaStream_t stream = nullptr) {
  return [=](auto const&... arguments) {
    bool const several = grid.x > 1;
    auto const code =
        detail::launch_with<Kernel>(grid, block, shared_bytes, stream, several)(arguments...);
    if (code != cudaErrorCooperativeLaunchTooLarge) return check(code), true;
    cudaGetLastError();
    return false;
  };
}

// Waits until all launches before this one on its stream have ended, and what they wrote is to be
// seen. By all threads, before they touch memory that an earlier launch may touch.
__device__ inline void await_launches_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next launch, if it is an early one, start when every block has called this or has ended.
// A block that then goes on for long makes the next launch's blocks crowd on other multiprocessors.
__device__ inline void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

alignas(16) extern __shared__ unsigned char tally_dynamic_shared[];

// The block's dynamic shared memory, of the size that the launch asked for; 16-byte aligned.
template <class T>
__device__ T* dynamic_shared() {
  static_assert(alignof(T) <= 16);
  return reinterpret_cast<T*>(tally_dynamic_shared);
}

}  // namespace tally
