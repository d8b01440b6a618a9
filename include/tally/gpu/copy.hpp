// SPDX-License-Identifier: Apache-2.0
//
// Host memory copied to a GPU, piece by piece. Needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <span>

#include "tally/gpu.hpp"
#include "tally/gpu/allocation.hpp"

namespace tally {

// An array in a gpu's memory, one piece appended after the other:
//
//   tally::gpu_copy copy(there);
//   while (...) copy.append(piece);      // `piece` may be changed when this returns
//   auto const x = copy.as<float>();     // for calls on `there`
//
// The gpu may be moved meanwhile, but what holds it must outlive the copy.
class gpu_copy {
 public:
  // With room for `bytes`; more is found when it is needed. Throws where there is no memory.
  explicit gpu_copy(gpu& where, std::size_t bytes = 0);
  gpu_copy(gpu_copy const&) = delete;

  void append(std::span<std::byte const> piece);

  std::size_t bytes() const { return bytes_; }
  template <class T>
  std::span<T const> as() const {
    return {reinterpret_cast<T const*>(memory_.data()), bytes_ / sizeof(T)};
  }

 private:
  detail::gpu_context& where_;  // stays where it is if the gpu is moved
  detail::gpu_allocation memory_;
  std::size_t bytes_ = 0;

  void grow(std::size_t bytes);
};

}  // namespace tally
