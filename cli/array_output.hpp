// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tally/dtype.hpp"
#include "tally/io/output.hpp"

namespace tally::cli {

// Whether the file's name asks for text: it ends in .txt, .csv or .tsv.
bool is_text(std::string const& path);

// Throws usage_error, naming `option`, for a file whose name promises what is never written.
void require_written(std::string const& option, std::string const& path);

// An array written to a file: .npy if its name ends so, or text, a line an element, which in .csv
// and .tsv has a header, else the elements alone. The file appears when finish() is called, or
// never. Where it is standard output by another name, a pipe that nobody reads throws what it
// throws there.
class array_output {
 public:
  // No shape: one dimension, as long as will be written.
  array_output(std::string const& path, dtype type,
               std::optional<std::vector<std::uint64_t>> const& shape);
  // Another process has begun it, which told temporary(), and finishes after this one has.
  array_output(std::string const& path, dtype type, std::vector<std::uint64_t> const& shape,
               std::string const& temporary);

  std::string const& temporary() const { return file_.temporary(); }
  // That so many elements are to come.
  void reserve(std::uint64_t elements);
  // Whether put() can be called in another order than from the first element to the last.
  bool takes_any_offset() const { return !text_ && file_.takes_any_offset(); }
  // Whether it has lines of text, which can be what no element is: put_text().
  bool has_lines() const { return text_; }
  // Elements from index `first` on.
  void put(std::uint64_t first, std::span<std::byte const> elements);
  // In place of elements: whole lines, which come next.
  void put_text(std::string_view text);
  void finish();

 private:
  io::output_file file_;
  bool standard_;  // output, by another name
  dtype type_;
  bool text_;
  std::uint64_t header_bytes_ = 0, count_ = 0;
  bool header_missing_ = false;

  // There, or behind what has been written.
  void write(std::span<std::byte const> bytes, std::optional<std::uint64_t> at = {});
};

}  // namespace tally::cli
