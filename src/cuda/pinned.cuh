// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "src/cuda/capture.cuh"
#include "tally/cuda/cuda_error.cuh"

namespace tally {

// Host memory that devices can read and write, aligned to a page.
class pinned {
 public:
  pinned() = default;
  pinned(pinned const&) = delete;
  ~pinned() {
    beside_captures const relaxed;
    cudaFreeHost(data_);
  }

  // At least so much; what it held is lost where it must grow.
  void* room(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    constexpr std::size_t page = 4096;
    bytes = (bytes + page - 1) / page * page;
    void* more;
    beside_captures const relaxed;
    check(cudaHostAlloc(&more, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
    cudaFreeHost(data_);
    data_ = more;
    bytes_ = bytes;
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tally
