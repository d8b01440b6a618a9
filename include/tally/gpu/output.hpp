// SPDX-License-Identifier: Apache-2.0
//
// What calls on a GPU write, and the way back from there to host memory. Needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <span>

#include "tally/gpu.hpp"
#include "tally/gpu/allocation.hpp"

namespace tally {

// Room for results in a gpu's memory, which come back to the host piece by piece:
//
//   tally::gpu_output room(there, x.size_bytes());
//   tally::inclusive_scan(there, x, room.as<float>(), tally::sum{});
//   room.read(0, std::as_writable_bytes(std::span(prefixes)));   // waits for the stream
//
// The gpu may be moved meanwhile, but what holds it must outlive the output.
class gpu_output {
 public:
  // What the memory holds at first is unspecified. Throws where there is none.
  gpu_output(gpu& where, std::size_t bytes);
  gpu_output(gpu_output const&) = delete;

  std::size_t bytes() const { return memory_.bytes(); }
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(memory_.data()), bytes() / sizeof(T)};
  }

  // Copies the bytes from `first` on to host memory. Returns when they are there, and so what was
  // on the stream before has ended.
  void read(std::size_t first, std::span<std::byte> to) const;

 private:
  detail::gpu_context& where_;  // stays where it is if the gpu is moved
  detail::gpu_allocation memory_;
};

}  // namespace tally
