// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  // Below n.
  std::size_t operator()(std::size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return std::size_t((unsigned __int128)state_ * n >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace simt
