// SPDX-License-Identifier: Apache-2.0
//
// What the current device's memory can do at best: the lines that other work is held against.
#pragma once

#include <cstddef>
#include <string>

#include "src/cuda/timing.cuh"

namespace tally::timing {

enum class cache { cold, warm };

struct line {
  std::size_t bytes_moved;  // read and written
  samples time;
  std::string how;  // the shape that was best
  double gb_per_s() const { return double(bytes_moved) / time.median() / 1e3; }
};

// The fastest of several ways to read `bytes`, a multiple of 16.
line read_line(std::size_t bytes, cache state);

// The fastest of several kernels that copy `bytes`, a multiple of 16, and cudaMemcpyAsync.
line copy_line(std::size_t bytes, cache state);
line memcpy_line(std::size_t bytes, cache state);

// A kernel that does nothing, one graph node after another.
samples empty_kernel_time();

}  // namespace tally::timing
