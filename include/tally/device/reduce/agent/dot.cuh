// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/definition/dot.hpp"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/sum/products.cuh"

namespace tally::device {

template <floating T, floating R>
struct agent_for<exact_dot<T, R>> {
  using type = sum_agent<exact_dot<T, R>, product_adder<T>>;
};
template <floating T>
struct agent_for<exact_dot_state<T>> {
  using type = sum_agent<exact_dot_state<T>, product_adder<T>>;
};
template <aggregate A, floating T, int Offset, int Columns>
struct agent_at_offset<sum_agent<A, product_adder<T>>, Offset, Columns> {
  using type = sum_agent<A, product_adder<T, Offset, Columns>>;
};

}  // namespace tally::device
