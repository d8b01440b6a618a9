// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/io/output.hpp"

namespace tally::cli {

// An array written to a file: .npy if its name ends so, else the elements alone. The file appears
// when finish() is called, or never.
class array_output {
 public:
  // No shape: one dimension, as long as will be written.
  array_output(std::string const& path, dtype type,
               std::optional<std::vector<std::uint64_t>> const& shape);

  // Whether put() can be called in another order than from the first element to the last.
  bool takes_any_offset() const { return file_.takes_any_offset(); }
  // Elements from index `first` on.
  void put(std::uint64_t first, std::span<std::byte const> elements);
  void finish();

 private:
  io::output_file file_;
  dtype type_;
  std::uint64_t header_bytes_ = 0, count_ = 0;
  bool header_missing_ = false;
};

}  // namespace tally::cli
