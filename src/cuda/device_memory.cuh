// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cuda/cuda_error.cuh"
#include "tally/gpu.hpp"

namespace tally {

// Memory of the current device in a stream's order, from a gpu_memory, or null: the device's pool.
class device_memory {
 public:
  explicit device_memory(gpu_memory* source) : source_(source) {}

  void* allocate(std::size_t bytes, cudaStream_t stream) const {
    if (source_) return source_->allocate(bytes, stream);
    void* data;
    auto const code = cudaMallocAsync(&data, bytes, stream);
    if (code != cudaErrorMemoryAllocation) return check(code), data;
    cudaGetLastError();
    std::size_t free, total;
    check(cudaMemGetInfo(&free, &total));
    throw error("gpu: no memory for " + std::to_string(bytes) + " bytes, of " +
                std::to_string(total) + " there are " + std::to_string(free) + " free");
  }

  void release(void* data, std::size_t bytes, cudaStream_t stream) const noexcept {
    if (source_)
      source_->release(data, bytes, stream);
    else if (cudaFreeAsync(data, stream) != cudaSuccess)
      cudaGetLastError();  // the program may be ending, and the driver gone
  }

 private:
  gpu_memory* source_;
};

}  // namespace tally
