// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tally::io {

class temporary_file;

// All that is appended, as one array: in memory as long as that is not more than `most` bytes, then
// in a temporary file without a name, in TMPDIR or /tmp, of which the system keeps in memory what
// there is room for. Throws tally::error naming the folder where that fails.
class kept_array {
 public:
  explicit kept_array(std::uint64_t most);
  ~kept_array();

  void append(std::span<std::byte const> bytes);
  // Nothing can be appended any more. Valid as long as this is.
  std::span<std::byte const> all();

 private:
  std::uint64_t most_;
  std::vector<std::byte> memory_;
  std::unique_ptr<temporary_file> file_;
  std::shared_ptr<std::byte const> mapped_;
};

}  // namespace tally::io
