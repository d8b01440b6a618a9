// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/vector_types.hpp"

// The part of the CUDA runtime's host interface that Tally uses. Everything happens at once: a
// launch has ended when its call returns, streams and events are names, elapsed times are zero.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600,
  cudaErrorCooperativeLaunchTooLarge = 720,
  cudaErrorNotSupported = 801
};
char const* cudaGetErrorName(cudaError_t);
char const* cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
cudaError_t cudaMalloc(void** address, std::size_t bytes);
cudaError_t cudaFree(void* address);
cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t);
cudaError_t cudaFreeAsync(void* address, cudaStream_t);
cudaError_t cudaMallocHost(void** address, std::size_t bytes);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t = nullptr);
cudaError_t cudaMemset(void* address, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* address, int byte, std::size_t bytes, cudaStream_t = nullptr);

template <class T>
cudaError_t cudaMalloc(T** address, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(address), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** address, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream);
}
template <class T>
cudaError_t cudaMallocHost(T** address, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(address), bytes);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, void const* from, std::size_t bytes,
                               std::size_t offset = 0) {
  return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, from, bytes, cudaMemcpyHostToHost);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, T const& symbol, std::size_t bytes,
                                 std::size_t offset = 0) {
  return cudaMemcpy(to, reinterpret_cast<char const*>(&symbol) + offset, bytes,
                    cudaMemcpyHostToHost);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, T& symbol) {
  *address = &symbol;
  return cudaSuccess;
}

inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t);

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
struct cudaDeviceProp {
  char name[256] = "SIMT machine";
  std::size_t totalGlobalMem = std::size_t(16) << 30;
  std::size_t sharedMemPerBlock = 48 << 10;
  std::size_t sharedMemPerBlockOptin = 227 << 10;
  std::size_t sharedMemPerMultiprocessor = 228 << 10;
  int warpSize = 32;
  int maxThreadsPerBlock = 1024;
  int maxThreadsPerMultiProcessor = 2048;
  int multiProcessorCount = 4;
  int major = 9, minor = 0;
  int l2CacheSize = 1 << 20;
};
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int device);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int device);
cudaError_t cudaDeviceSynchronize();

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute, int value);
template <class... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute,
                                 int value) {
  return cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel), attribute, value);
}
struct cudaFuncAttributes {
  int ptxVersion = 0;  // of no version of PTX
};
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found, void const*) {
  *found = {};
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads,
                                                          std::size_t shared_bytes) {
  if (threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  int const by_memory = int((228 << 10) / (shared_bytes + (1 << 10)));
  *blocks = 2048 / threads < by_memory ? 2048 / threads : by_memory;
  return cudaSuccess;
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {  // only that of a cooperative launch is understood here
  cudaLaunchAttributeID id;
  struct {
    int cooperative, programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 grid, block;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;

  dim3& simt_grid_size() { return grid; }  // what `gridDim` and `blockDim` become: device.hpp
  dim3& simt_block_size() { return block; }
};

namespace simt {

// Every lane calls run(arguments); lanes may read the arguments' bytes.
struct launch_request {
  void const* kernel;
  dim3 grid, block;
  std::size_t shared_bytes;
  void (*run)(void* arguments);
  void* arguments;
  std::size_t argument_bytes;
  bool together = false;  // all blocks are resident at a time
};
cudaError_t launch(launch_request const&);

}  // namespace simt

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t const* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  bool together = false;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != cudaLaunchAttributeCooperative) return cudaErrorNotSupported;
    together = config->attrs[i].val.cooperative;
  }
  struct call {
    void (*kernel)(Parameters...);
    std::tuple<std::remove_cv_t<Parameters>...> arguments;
  } each{kernel,
         std::tuple<std::remove_cv_t<Parameters>...>(std::forward<Arguments>(arguments)...)};
  auto const run = [](void* bytes) {
    auto& lane = *static_cast<call*>(bytes);
    std::apply(lane.kernel, lane.arguments);
  };
  return simt::launch({reinterpret_cast<void const*>(kernel), config->grid, config->block,
                       config->dynamicSmemBytes, run, &each, sizeof each, together});
}
