// SPDX-License-Identifier: Apache-2.0
//
// What a call on a GPU needs of the `gpu` that it was made with. Host code, no CUDA toolkit.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace tally::detail {

class gpu_call {
 public:
  struct memory {
    std::uint32_t* header;  // as device::workspace says
    void* slots;            // of 16 bytes, aligned to them; zero when they are new
    std::size_t count;      // of them, at least as many as were asked for
  };

  virtual CUstream_st* stream() const = 0;
  virtual int multiprocessors() const = 0;
  // Kept until the gpu ends, and enlarged where need be: room for `slots`.
  virtual memory workspace(std::size_t slots) = 0;

 protected:
  ~gpu_call() = default;
};

}  // namespace tally::detail
