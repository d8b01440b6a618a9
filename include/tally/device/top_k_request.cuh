// SPDX-License-Identifier: Apache-2.0
//
// What every kernel that selects from an input is told.
#pragma once

#include "tally/device/top_k_shape.hpp"
#include "tally/exact/rank_order.hpp"
#include "tally/types.hpp"

namespace tally::device {

// The best of each row of an input, by an order, and where they go.
template <class In>
struct top_k_request {
  using bits = bits_of<typename In::element>;

  In in;
  detail::gpu_rows rows;
  rank_order<bits> order;
  detail::gpu_selection<bits> how;

  // Whether rows are to pass through L2. Of rows that are far more than L2 holds it was no gain,
  // and a loss where many elements are alike.
  TALLY_FN bool passes() const { return rows.count * rows.length * sizeof(bits) <= most_passing; }

 private:
  static constexpr std::uint64_t most_passing = 1 << 28;
};

}  // namespace tally::device
