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
};

}  // namespace tally::device
