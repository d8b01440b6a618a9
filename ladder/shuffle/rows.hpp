// SPDX-License-Identifier: Apache-2.0
//
// Rungs that treat every 32 elements as a row of their own, one thread an element.
#pragma once

#include <string>

#include "ladder/rung.hpp"

namespace ladder::shuffle {

constexpr unsigned row_length = 32, threads_a_block = 256;

struct row_rung {
  std::string id, title, page;
  enum { total, total_everywhere, prefix_sums } gives;  // the first: one number a row
  void (*of_int32)(problem const&);
  void (*of_float32)(problem const&);
};

// int32 is added up in int64. Problems without an element are not passed on.
rung rung_of(row_rung const& what);

inline unsigned blocks_for(std::size_t n) {
  return unsigned((n + threads_a_block - 1) / threads_a_block);
}

}  // namespace ladder::shuffle
