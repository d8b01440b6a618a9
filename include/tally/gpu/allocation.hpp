// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tally/gpu/context.hpp"

namespace tally::detail {

// Memory of a gpu, in its stream's order; what it holds at first is unspecified. The context
// outlives it. Can be moved, not copied.
class gpu_allocation {
 public:
  gpu_allocation() = default;
  // Throws where there is no memory.
  gpu_allocation(gpu_context& where, std::size_t bytes);
  gpu_allocation(gpu_allocation&& other) noexcept;
  gpu_allocation& operator=(gpu_allocation&& other) noexcept;
  ~gpu_allocation();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  gpu_context* where_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tally::detail
