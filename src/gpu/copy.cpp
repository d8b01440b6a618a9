// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/copy.hpp"

#include <algorithm>

namespace tally {

gpu_copy::gpu_copy(gpu& where, std::size_t bytes) : where_(where.context()) { grow(bytes); }

gpu_copy::~gpu_copy() {
  if (!data_) return;
  try {
    detail::entered_gpu(where_)->release(data_, room_);
  } catch (error const&) {  // the device failed, which a call will say
  }
}

void gpu_copy::append(std::span<std::byte const> piece) {
  if (piece.size() > room_ - bytes_) grow(std::max(bytes_ + piece.size(), 2 * room_));
  detail::entered_gpu(where_)->send(data_ + bytes_, piece);
  bytes_ += piece.size();
}

void gpu_copy::grow(std::size_t bytes) {
  if (bytes == 0) return;
  detail::entered_gpu const there(where_);
  auto const data = static_cast<std::byte*>(there->allocate(bytes));
  if (data_) {
    try {
      there->copy(data, data_, bytes_);
    } catch (error const&) {
      there->release(data, bytes);
      throw;
    }
    there->release(data_, room_);
  }
  data_ = data;
  room_ = bytes;
}

}  // namespace tally
