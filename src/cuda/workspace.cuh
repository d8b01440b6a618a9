// SPDX-License-Identifier: Apache-2.0
//
// The memory that calls keep between launches. Each graph that captured a call has a block to
// itself, for as long as this lives; all other calls share one, which grows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

// All of it on the current device.
class kept_workspace {
 public:
  kept_workspace(CUstream_st* stream, device_memory source, std::size_t bytes);
  kept_workspace(kept_workspace const&) = delete;
  ~kept_workspace();

  // A block's status words are at its begin, and scratch at its end: what was ever scratch is never
  // a status word, which no launch may find in a state that it was not left in.
  device::call_memory take(std::size_t words, std::size_t scratch);
  void reserve(std::size_t bytes);
  void use(std::span<std::byte> bytes);

 private:
  struct block {
    std::byte* data;
    std::size_t bytes;
    unsigned long long capture;          // whose it is; 0: of calls outside of captures
    std::size_t words = 0, scratch = 0;  // bytes: the most that a call had of each

    std::size_t with(std::size_t words_too, std::size_t scratch_too) const;
  };
  CUstream_st* stream_;
  device_memory source_;
  std::vector<block> blocks_;  // the last one was used last
  block callers_{};

  block& room(std::size_t words, std::size_t scratch);
  bool find(unsigned long long capture);
  void replace(std::size_t bytes, unsigned long long capture);
  std::byte* zeroed(std::size_t bytes, CUstream_st* stream) const;
  void release(block const& old) const noexcept;
};

}  // namespace tally
