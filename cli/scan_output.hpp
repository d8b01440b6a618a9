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

namespace tally::cli {

// Where a scan's results go: to the file that -o names, else to standard output as text, a line
// each; with --json and no -o, nowhere. Text whose last line comes first is kept until its end.
class scan_output {
 public:
  scan_output(arguments const& options, input const& in, dtype type);

  // Results from index `first` on: in order, or with --reverse from the last to the first.
  void put(std::uint64_t first, std::span<std::byte const> results);
  void finish();
  // The result at the highest index.
  std::optional<number> last() const { return last_; }

 private:
  dtype type_;
  bool nowhere_, waits_;
  std::optional<array_output> file_;
  kept waiting_;
  std::vector<std::size_t> pieces_;  // of what waits, their bytes: the last is the text's first
  std::uint64_t end_ = 0;
  std::optional<number> last_;

  void pass_on(std::uint64_t first, std::span<std::byte const> results);
};

}  // namespace tally::cli
