// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "input_file.hpp"

namespace tally::io {

// A file that nobody else sees, in the folder TMPDIR or /tmp. It is gone when the process is,
// however that ends.
class temporary_file {
 public:
  temporary_file();
  ~temporary_file();
  temporary_file(temporary_file const&) = delete;

  void write(std::span<std::byte const> bytes);
  // All that has been written.
  mapping map() const;

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace tally::io
