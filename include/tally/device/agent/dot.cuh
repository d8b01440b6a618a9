// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/definition/dot.hpp"
#include "tally/device/agent/sum.cuh"
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
template <aggregate A, floating T, int Bytes, int Columns>
struct agent_behind<sum_agent<A, product_adder<T>>, Bytes, Columns> {
  using type = sum_agent<A, product_adder<T, Bytes, Columns>>;
};

}  // namespace tally::device
