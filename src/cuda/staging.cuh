// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "src/cuda/pinned.cuh"

namespace tally {

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
