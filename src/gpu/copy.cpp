// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/copy.hpp"

#include <algorithm>
#include <utility>

namespace tally {

gpu_copy::gpu_copy(gpu& where, std::size_t bytes)
    : where_(where.context()), memory_(where_, bytes) {}

void gpu_copy::append(std::span<std::byte const> piece) {
  if (piece.size() > memory_.bytes() - bytes_)
    grow(std::max(bytes_ + piece.size(), 2 * memory_.bytes()));
  detail::entered_gpu(where_)->send(memory_.data() + bytes_, piece);
  bytes_ += piece.size();
}

void gpu_copy::grow(std::size_t bytes) {
  detail::gpu_allocation more(where_, bytes);
  if (bytes_) detail::entered_gpu(where_)->copy(more.data(), memory_.data(), bytes_);
  memory_ = std::move(more);
}

}  // namespace tally
