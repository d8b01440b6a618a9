// SPDX-License-Identifier: Apache-2.0
//
// Elements that are chosen by their sums with others, in one launch: short rows of floating-point
// numbers of up to 32 bits. Needs no CUDA toolkit.
#pragma once

#include "tally/device/top_k/request.hpp"

namespace tally::device {

// What is added to an element lies as the element does, or is the same for all rows, which then
// begin at 0 of it.
template <class Bits>
struct biased_input {
  using element = Bits;
  Bits const *data, *bias;
  bool of_each_row, are_float16;
};

template <class Bits>
using biased_request = row_request<biased_input<Bits>, detail::gpu_selection<Bits>>;

}  // namespace tally::device
