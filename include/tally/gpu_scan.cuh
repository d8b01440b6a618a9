// SPDX-License-Identifier: Apache-2.0
//
// For scans on a GPU by operators and aggregates of one's own, as gpu_reduce.cuh for reductions.
#pragma once

#include "tally/device/scan/launch.cuh"
#include "tally/gpu/scan.hpp"
#include "tally/scan.hpp"

namespace tally::detail {

template <class Op, class T>
  requires(!requires { typename Op::template result<T>; })
struct scans_here<Op, T> {};

}  // namespace tally::detail
