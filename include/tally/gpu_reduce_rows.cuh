// SPDX-License-Identifier: Apache-2.0
//
// For reductions of rows on a GPU by operators and aggregates of one's own, as gpu_reduce.cuh,
// which it brings, for arrays.
#pragma once

#include "tally/device/reduce/rows/launch.cuh"
#include "tally/gpu_reduce.cuh"

namespace tally::detail {

template <class Op, class T>
  requires requires { sizeof(reductions_here<Op, T>); }
struct row_reductions_here<Op, T> {};

}  // namespace tally::detail
