// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "input_file.hpp"

namespace tally::io {

// A file that nobody else sees, in the folder TMPDIR or /tmp; it goes away by itself.
class temporary_file {
 public:
  temporary_file();
  ~temporary_file();
  temporary_file(temporary_file const&) = delete;

  void write(std::span<char const> bytes);
  // All that has been written.
  mapping map() const;

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

}  // namespace tally::io
