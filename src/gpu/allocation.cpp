// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/allocation.hpp"

#include <utility>

#include "tally/error.hpp"

namespace tally::detail {

gpu_allocation::gpu_allocation(gpu_context& where, std::size_t bytes) : where_(&where) {
  if (bytes == 0) return;
  data_ = static_cast<std::byte*>(entered_gpu(where)->allocate(bytes));
  bytes_ = bytes;
}

gpu_allocation::gpu_allocation(gpu_allocation&& other) noexcept { *this = std::move(other); }

gpu_allocation& gpu_allocation::operator=(gpu_allocation&& other) noexcept {
  std::swap(where_, other.where_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

gpu_allocation::~gpu_allocation() {
  if (!data_) return;
  try {
    entered_gpu(*where_)->release(data_, bytes_);
  } catch (error const&) {  // the device failed, which a call will say
  }
}

}  // namespace tally::detail
