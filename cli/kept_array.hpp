// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tally::cli {

// All that is appended, as one array: in memory as long as that is not more than `most` bytes, then
// in a temporary file without a name, in TMPDIR or /tmp, of which the system keeps in memory what
// there is room for. Throws tally::error naming the folder where that fails.
class kept_array {
 public:
  explicit kept_array(std::uint64_t most) : most_(most) {}
  kept_array(kept_array const&) = delete;
  ~kept_array();

  void append(std::span<std::byte const> bytes);
  // Nothing can be appended any more. Valid as long as this is.
  std::span<std::byte const> all();

 private:
  std::uint64_t most_, written_ = 0;
  std::vector<std::byte> memory_;
  int file_ = -1;
  void* mapped_ = nullptr;

  void write(std::span<std::byte const> bytes);
};

}  // namespace tally::cli
