// SPDX-License-Identifier: Apache-2.0
#include "tally/devices.hpp"

#include <algorithm>

#include "src/cuda/lines.cuh"
#include "src/cuda/on_device.cuh"
#include "tally/cuda/cuda_error.cuh"

namespace tally {
namespace {

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

gpu_properties properties(int index) {
  cudaDeviceProp from;
  check(cudaGetDeviceProperties(&from, index));
  auto const attribute = [&](cudaDeviceAttr which) {
    int value;
    check(cudaDeviceGetAttribute(&value, which, index));
    return value;
  };
  int driver, runtime;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  auto const& block = from.maxThreadsDim;
  auto const& grid = from.maxGridSize;
  return {.index = index,
          .name = from.name,
          .major = from.major,
          .minor = from.minor,
          .multiprocessors = from.multiProcessorCount,
          .memory_bytes = from.totalGlobalMem,
          .constant_memory_bytes = from.totalConstMem,
          .shared_memory_per_block_bytes = from.sharedMemPerBlock,
          .registers_per_block = from.regsPerBlock,
          .warp_size = from.warpSize,
          .max_threads_per_block = from.maxThreadsPerBlock,
          .max_block = {block[0], block[1], block[2]},
          .max_grid = {grid[0], grid[1], grid[2]},
          .max_pitch_bytes = from.memPitch,
          .texture_alignment_bytes = from.textureAlignment,
          .clock_khz = attribute(cudaDevAttrClockRate),
          .copies_while_computing = attribute(cudaDevAttrGpuOverlap) != 0,
          .l2_bytes = std::size_t(from.l2CacheSize),
          .memory_clock_khz = attribute(cudaDevAttrMemoryClockRate),
          .memory_bus_bits = from.memoryBusWidth,
          .driver_cuda = version(driver),
          .runtime_cuda = version(runtime)};
}

cudaError_t count_devices(int& count) {
  auto const code = cudaGetDeviceCount(&count);
  cudaGetLastError();  // that there is none is no error of the next call
  if (code != cudaSuccess) count = 0;
  return code;
}

}  // namespace

std::vector<gpu_properties> gpus() {
  int count;
  count_devices(count);
  std::vector<gpu_properties> found;
  for (int i = 0; i < count; ++i) found.push_back(properties(i));
  return found;
}

std::string no_gpu_because() {
  int count;
  switch (auto const code = count_devices(count)) {
    case cudaSuccess: return {};
    case cudaErrorInsufficientDriver: return "no NVIDIA driver, or one too old for this CUDA";
    case cudaErrorNoDevice: return "the NVIDIA driver sees no device";
    default: return cudaGetErrorString(code);
  }
}

memory_lines measure_memory(gpu_properties const& gpu) {
  on_device const here(gpu.index);
  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total));
  auto const buffer = std::min<std::size_t>(256 << 20, free / 8 / 512 * 512);
  auto const read = timing::read_line(buffer, timing::cache::cold);
  auto const copy = timing::copy_line(buffer, timing::cache::cold);
  auto const engine = timing::memcpy_line(buffer, timing::cache::cold);
  return {buffer, read.gb_per_s(), std::max(copy.gb_per_s(), engine.gb_per_s())};
}

}  // namespace tally
