// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ladder::top_k {

// What of a GPU decides how many blocks run on one of its multiprocessors.
struct multiprocessor {
  char const* name;
  unsigned shared_kb;        // of all its blocks
  unsigned reserved_kb;      // of which each block takes this for itself
  unsigned threads, blocks;  // at most
};

// The share of the threads that run where each block has so many and takes so much.
double occupancy(multiprocessor const& of, unsigned threads, unsigned shared_kb);

// The page's limits with 48 KB a block, and that share on its two devices and on an H100.
std::vector<std::string> draw_occupancy();

}  // namespace ladder::top_k
