// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ladder::memory {

// That a thread read a number, as the how manieth of its own.
struct reading {
  int thread, step;
};

// A row for the numbers, one for who read them, and one a step for what the threads read together.
std::vector<std::string> draw_readings(std::vector<reading> const& of_number);

}  // namespace ladder::memory
