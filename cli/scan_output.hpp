// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "array_output.hpp"
#include "input.hpp"
#include "kept.hpp"
#include "number.hpp"
#include "scan.hpp"
#include "unwrapped_sums.hpp"

namespace tally::cli {

// Where a scan's results go: to the file that -o names, else to standard output as text, a line
// each; with --json and no -o, nowhere. Text whose last line comes first is kept until its end.
// Unless a type was asked for, sums of integers are as they are, not modulo 2^64: text has all of
// their digits, and a file of elements has to hold them.
class scan_output {
 public:
  scan_output(arguments const& options, input const& in, scan_settings const& settings);

  // That an integer is missing there: a sum with it is none. Before the first such sum.
  void note_missing(std::uint64_t index);
  // Results from index `first` on: in order, or with --reverse from the last to the first.
  void put(std::uint64_t first, std::span<std::byte const> results);
  // Where ranks write one file, the first finishes last.
  void finish();
  // The result at the highest index.
  std::optional<number> last() const { return last_; }

 private:
  // Results, of which text may be made later.
  struct piece {
    std::uint64_t first;
    std::size_t count;
    bool wide;  // each has 128 bits
  };

  std::string name_;  // of the file
  dtype type_;
  bool nowhere_, waits_, reverse_, exclusive_;
  std::optional<array_output> file_;
  std::optional<unwrapped_sums> sums_;
  std::optional<std::uint64_t> missing_from_;  // on, or with --reverse, down to 0
  kept waiting_;
  std::vector<piece> pieces_;  // of what waits: the last is the text's first
  std::uint64_t end_ = 0;
  std::optional<number> last_;

  bool is_missing(std::uint64_t index) const;
  number result(piece const& p, std::span<std::byte const> sums, std::size_t i) const;
  void require_elements(piece const& p, std::span<std::byte const> sums) const;
  void write(piece const& p, std::span<std::byte const> sums);
  void open_file(arguments const& options, input const& in);
};

}  // namespace tally::cli
