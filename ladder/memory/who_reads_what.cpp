// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/who_reads_what.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ladder::memory {

std::vector<std::string> draw_readings(std::vector<reading> const& of_number) {
  std::string numbers = "number", threads = "thread";
  int steps = 0;
  for (std::size_t i = 0; i < of_number.size(); ++i) {
    numbers += fmt::format("{:3}", i);
    threads += fmt::format("{:3}", of_number[i].thread);
    steps = std::max(steps, of_number[i].step + 1);
  }
  std::vector<std::string> lines{numbers, threads};
  for (int step = 0; step < steps; ++step) {
    std::string line = fmt::format("step {}", step + 1);
    for (auto const& read : of_number) line += read.step == step ? "  *" : "  .";
    lines.push_back(line);
  }
  return lines;
}

}  // namespace ladder::memory
