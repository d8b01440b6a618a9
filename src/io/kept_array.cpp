// SPDX-License-Identifier: Apache-2.0
#include "tally/io/kept_array.hpp"

#include "temporary_file.hpp"

namespace tally::io {

kept_array::kept_array(std::uint64_t most) : most_(most) {}
kept_array::~kept_array() = default;

void kept_array::append(std::span<std::byte const> bytes) {
  if (!file_ && bytes.size() <= most_ - memory_.size()) {
    memory_.insert(memory_.end(), bytes.begin(), bytes.end());
    return;
  }
  if (!file_) {
    file_ = std::make_unique<temporary_file>();
    file_->write(memory_);
    std::vector<std::byte>().swap(memory_);
  }
  file_->write(bytes);
}

std::span<std::byte const> kept_array::all() {
  if (!file_) return memory_;
  auto const found = file_->map();
  mapped_ = found.data;
  return {found.data.get(), found.size};
}

}  // namespace tally::io
