// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

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

// Between host memory and a device, through two buffers that take turns: the host fills or empties
// one while the other is on its way.
class staging {
 public:
  staging() = default;
  staging(staging const&) = delete;
  ~staging() {
    for (auto const& b : buffers_)
      if (b.done) {
        cudaEventSynchronize(b.done);
        cudaEventDestroy(b.done);
      }
  }

  // Returns when `from` has been read.
  void send(void* to, std::span<std::byte const> from, cudaStream_t stream) {
    for (auto at = static_cast<std::byte*>(to); !from.empty();) {
      auto const piece = from.first(std::min(from.size(), piece_bytes));
      auto const& b = next_buffer();
      std::memcpy(b.data, piece.data(), piece.size());
      check(cudaMemcpyAsync(at, b.data, piece.size(), cudaMemcpyHostToDevice, stream));
      check(cudaEventRecord(b.done, stream));
      at += piece.size();
      from = from.subspan(piece.size());
    }
  }

  // Returns when `to` has been written.
  void receive(std::span<std::byte> to, void const* from, cudaStream_t stream) {
    auto at = static_cast<std::byte const*>(from);
    for (std::span<std::byte> arriving; !to.empty() || !arriving.empty();) {
      auto const& before = buffers_[turn_];
      auto const piece = to.first(std::min(to.size(), piece_bytes));
      if (!piece.empty()) {
        auto const& b = next_buffer();
        check(cudaMemcpyAsync(b.data, at, piece.size(), cudaMemcpyDeviceToHost, stream));
        check(cudaEventRecord(b.done, stream));
      }
      if (!arriving.empty()) {
        check(cudaEventSynchronize(before.done));
        std::memcpy(arriving.data(), before.data, arriving.size());
      }
      at += piece.size();
      to = to.subspan(piece.size());
      arriving = piece;
    }
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t(4) << 20;
  struct buffer {
    pinned memory;
    void* data = nullptr;
    cudaEvent_t done = nullptr;  // what last went to it or from it
  };
  buffer buffers_[2];
  int turn_ = 0;

  // Nothing is on its way to it or from it.
  buffer const& next_buffer() {
    auto& b = buffers_[turn_ ^= 1];
    b.data = b.memory.room(piece_bytes);
    if (!b.done) check(cudaEventCreateWithFlags(&b.done, cudaEventDisableTiming));
    check(cudaEventSynchronize(b.done));
    return b;
  }
};

}  // namespace tally
