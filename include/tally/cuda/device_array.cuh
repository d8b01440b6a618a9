// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/contiguous.hpp"
#include "tally/cuda/cuda_error.cuh"

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

  // These go on a stream, and wait for it.
  void copy_from(std::span<T const> values, cudaStream_t on = nullptr) {
    copy(data_, values.data(), cudaMemcpyHostToDevice, on);
  }
  std::vector<T> to_host(cudaStream_t on = nullptr) const {
    std::vector<T> values(size_);
    copy(values.data(), data_, cudaMemcpyDeviceToHost, on);
    return values;
  }
  void fill_bytes(unsigned char byte, cudaStream_t on = nullptr) const {
    if (size_) check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), on));
    check(cudaStreamSynchronize(on));
  }

 private:
  void copy(T* to, T const* from, cudaMemcpyKind kind, cudaStream_t on) const {
    if (size_) check(cudaMemcpyAsync(to, from, size_ * sizeof(T), kind, on));
    check(cudaStreamSynchronize(on));
  }
  void swap(device_array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T>
inline constexpr bool is_contiguous<device_array<T>> = true;

}  // namespace tally
