// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tally/io/kept_array.hpp"

namespace tally::cli {

// What a command keeps until its end: as much as --memory says in memory, which its failures name.
class kept {
 public:
  explicit kept(std::uint64_t memory) : array_(memory) {}

  void append(std::span<std::byte const> bytes);
  // Nothing can be appended any more. Valid as long as this is.
  std::span<std::byte const> all() { return array_.all(); }

 private:
  io::kept_array array_;
};

}  // namespace tally::cli
