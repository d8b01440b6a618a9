// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cuda/cuda_error.cuh"

namespace tally {

// Makes a device the thread's current one; returns the one that was.
inline int enter_device(int index) {
  int before;
  check(cudaGetDevice(&before));
  if (before != index) check(cudaSetDevice(index));
  return before;
}

// Does so for a while.
class on_device {
 public:
  explicit on_device(int index) : index_(index), before_(enter_device(index)) {}
  on_device(on_device const&) = delete;
  ~on_device() {
    if (before_ != index_) cudaSetDevice(before_);
  }

 private:
  int index_, before_;
};

}  // namespace tally
