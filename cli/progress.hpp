// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tally::cli {

// A line on standard error, if that is a terminal and the work takes more than a second.
class progress {
 public:
  progress();
  ~progress() { finish(); }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  // How many bytes there are in all; unless told, the bar only says how many there were.
  void expect(std::uint64_t bytes) { expected_ = bytes; }
  void advance(std::uint64_t bytes);
  // Things instead of bytes: how many of all are done, and what the last was.
  void show(std::size_t done, std::size_t all, std::string const& last);
  // Removes the line.
  void finish();

 private:
  using clock = std::chrono::steady_clock;
  bool terminal_, shown_ = false;
  clock::time_point next_;
  std::uint64_t done_ = 0;
  std::optional<std::uint64_t> expected_;

  bool is_due();
};

}  // namespace tally::cli
