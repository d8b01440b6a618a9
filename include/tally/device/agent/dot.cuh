// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/dot.hpp"
#include "tally/device/agent/sum.cuh"
#include "tally/device/sum/products.cuh"

namespace tally::device {

template <floating T, floating R>
struct form_for<exact_dot<T, R>> {
  using type = sum_form<exact_dot<T, R>, product_adder<T>>;
};
template <aggregate A, floating T, int Bytes, int Columns>
struct form_behind<sum_form<A, product_adder<T>>, Bytes, Columns> {
  using type = sum_form<A, product_adder<T, Bytes, Columns>>;
};

}  // namespace tally::device
