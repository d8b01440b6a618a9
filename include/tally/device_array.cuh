// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/cuda_error.cuh"

namespace tally {

// An array in the current device's memory; what it holds at first is unspecified.
template <class T>
class device_array {
 public:
  device_array() = default;
  explicit device_array(std::size_t size) : size_(size) {
    if (size > std::size_t(-1) / sizeof(T))
      throw error("device_array: size = " + std::to_string(size) + " elements are too many");
    if (size) check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit device_array(std::span<T const> values) : device_array(values.size()) {
    copy_from(values);
  }
  device_array(device_array&& other) noexcept { swap(other); }
  device_array& operator=(device_array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~device_array() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  // These wait for the device.
  void copy_from(std::span<T const> values) {
    if (size_) check(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
    finish();  // a copy from pageable memory may go on behind the call
  }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    if (size_) check(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

  // Sets every byte; waits for the device.
  void fill_bytes(unsigned char byte) const {
    if (size_) check(cudaMemset(data_, byte, size_ * sizeof(T)));
    finish();
  }

 private:
  // Other streams need not wait for the default one.
  static void finish() { check(cudaStreamSynchronize(nullptr)); }
  void swap(device_array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tally
