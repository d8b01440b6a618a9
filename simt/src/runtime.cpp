// SPDX-License-Identifier: Apache-2.0
#include "simt/runtime.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "execution.hpp"

// The host's calls.
namespace {

using simt::global_memory;

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t result(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

struct known_error {
  cudaError_t code;
  char const* name;
  char const* text;
};
constexpr known_error known_errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"}};

known_error find(cudaError_t code) {
  for (auto const& e : known_errors) {
    if (e.code == code) return e;
  }
  return {code, "unrecognized error code", "unrecognized error code"};
}

// How much dynamic shared memory each kernel may have, where it was asked.
std::mutex limits_mutex;
std::map<void const*, std::size_t> shared_limits;

std::size_t shared_limit(void const* kernel) {
  std::lock_guard const lock(limits_mutex);
  auto const asked = shared_limits.find(kernel);
  return std::max<std::size_t>(48 << 10, asked == shared_limits.end() ? 0 : asked->second);
}

bool is_device_memory(void const* p) {
  return global_memory().contains(std::uintptr_t(p), 0) ||
         simt::program_variables().contains(std::uintptr_t(p), 0);
}

template <class Handle>
cudaError_t create(Handle* handle) {
  *handle = reinterpret_cast<Handle>(new char);
  return cudaSuccess;
}
template <class Handle>
cudaError_t destroy(Handle handle) {
  delete reinterpret_cast<char*>(handle);
  return cudaSuccess;
}

}  // namespace

char const* cudaGetErrorName(cudaError_t code) { return find(code).name; }
char const* cudaGetErrorString(cudaError_t code) { return find(code).text; }
cudaError_t cudaPeekAtLastError() { return last_error; }
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  *address = bytes ? global_memory().allocate(bytes) : nullptr;
  return result(bytes && !*address ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFree(void* address) {
  return result(!address || global_memory().release(address) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMallocAsync(void** address, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(address, bytes);
}
cudaError_t cudaFreeAsync(void* address, cudaStream_t) { return cudaFree(address); }
cudaError_t cudaMallocHost(void** address, std::size_t bytes) { return cudaMalloc(address, bytes); }
cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
  bool const to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool const from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device && !is_device_memory(to)) return result(cudaErrorInvalidValue);
  if (from_device && !is_device_memory(from)) return result(cudaErrorInvalidValue);
  if (!global_memory().may_copy(from, bytes)) return result(cudaErrorInvalidValue);
  if (!global_memory().may_copy(to, bytes)) return result(cudaErrorInvalidValue);
  std::memmove(to, from, bytes);
  global_memory().copied(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* address, int byte, std::size_t bytes) {
  if (!global_memory().may_copy(address, bytes)) return result(cudaErrorInvalidValue);
  std::memset(address, byte, bytes);
  global_memory().copied(address, nullptr, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* address, int byte, std::size_t bytes, cudaStream_t) {
  return cudaMemset(address, byte, bytes);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create(stream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return create(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return destroy(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* event) { return create(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return create(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return destroy(event); }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  return cudaSetDevice(device);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp const p;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = int(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
    default: return result(cudaErrorInvalidValue);
  }
  return cudaSetDevice(device);
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > 227 << 10) return result(cudaErrorInvalidValue);
  std::lock_guard const lock(limits_mutex);
  shared_limits[kernel] = std::size_t(value);
  return cudaSuccess;
}

// As an H100 would refuse a launch.
cudaError_t simt::launch(launch_request const& r) {
  std::size_t const lanes = std::size_t(r.block.x) * r.block.y * r.block.z;
  bool const fits = r.block.x <= 1024 && r.block.y <= 1024 && r.block.z <= 64 &&
                    r.grid.x <= 0x7fffffff && r.grid.y <= 0xffff && r.grid.z <= 0xffff;
  bool const has_lanes = lanes && r.grid.x && r.grid.y && r.grid.z;
  if (!fits || !has_lanes || lanes > 1024) return result(cudaErrorInvalidConfiguration);
  if (r.shared_bytes > shared_limit(r.kernel)) return result(cudaErrorInvalidValue);
  if (r.together && volume(r.grid) * volume(r.block) > stacks::most)
    return result(cudaErrorCooperativeLaunchTooLarge);
  return result(simt::run(r) ? cudaSuccess : cudaErrorNotSupported);
}
