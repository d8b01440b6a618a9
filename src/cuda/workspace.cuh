// SPDX-License-Identifier: Apache-2.0
//
// The memory that calls keep between launches. Each graph that captured a call has a block to
// itself, for as long as this lives; all other calls share one, which grows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/cuda/device_memory.cuh"

namespace tally {

// All of it on the current device.
class kept_workspace {
 public:
  kept_workspace(CUstream_st* stream, device_memory source, std::size_t bytes);
  kept_workspace(kept_workspace const&) = delete;
  ~kept_workspace();

  device::workspace take(std::size_t words);
  void reserve(std::size_t bytes);
  void use(std::span<std::byte> bytes);

 private:
  struct block {
    std::byte* data;
    std::size_t bytes;
    unsigned long long capture;  // whose it is; 0: of calls outside of captures
  };
  CUstream_st* stream_;
  device_memory source_;
  std::vector<block> blocks_;  // the last one was used last
  std::span<std::byte> callers_;

  std::span<std::byte> room(std::size_t bytes);
  bool find(unsigned long long capture);
  void replace(std::size_t bytes, unsigned long long capture);
  std::byte* zeroed(std::size_t bytes, CUstream_st* stream) const;
  void release(block const& old) const noexcept;
};

}  // namespace tally
