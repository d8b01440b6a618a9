// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "src/cuda/pinned.cuh"

namespace tally {

// From host memory to a device, through two buffers that take turns: one is filled while the other
// is on its way.
class staging {
 public:
  staging() = default;
  staging(staging const&) = delete;
  ~staging() {
    for (auto const& b : buffers_)
      if (b.sent) {
        cudaEventSynchronize(b.sent);
        cudaEventDestroy(b.sent);
      }
  }

  // Returns when `from` has been read.
  void send(void* to, std::span<std::byte const> from, cudaStream_t stream) {
    for (auto at = static_cast<std::byte*>(to); !from.empty();) {
      auto const piece = from.first(std::min(from.size(), piece_bytes));
      auto& b = buffers_[turn_ ^= 1];
      auto const memory = b.memory.room(piece_bytes);
      if (!b.sent) check(cudaEventCreateWithFlags(&b.sent, cudaEventDisableTiming));
      check(cudaEventSynchronize(b.sent));
      std::memcpy(memory, piece.data(), piece.size());
      check(cudaMemcpyAsync(at, memory, piece.size(), cudaMemcpyHostToDevice, stream));
      check(cudaEventRecord(b.sent, stream));
      at += piece.size();
      from = from.subspan(piece.size());
    }
  }

 private:
  static constexpr std::size_t piece_bytes = std::size_t(4) << 20;
  struct buffer {
    pinned memory;
    cudaEvent_t sent = nullptr;  // what the memory held last
  };
  buffer buffers_[2];
  int turn_ = 0;
};

}  // namespace tally
