// SPDX-License-Identifier: Apache-2.0
//
// For named aggregates of which the library holds no kernel: all_together(), results of another
// type, inputs of one's own. With this header, reduce(gpu, ...) and scans compile their kernels
// where they are called.
#pragma once

#include "tally/device/agent/describe.cuh"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/extrema.cuh"
#include "tally/device/agent/integer_sum.cuh"
#include "tally/device/agent/second_moments.cuh"
#include "tally/device/agent/sum.cuh"
#include "tally/device/agent/together.cuh"
#include "tally/device/prefix/exact.cuh"
#include "tally/device/prefix/integer.cuh"
#include "tally/gpu_reduce.cuh"
#include "tally/gpu_scan.cuh"

namespace tally::detail {

template <class Op, class T>
  requires requires { typename Op::template result<T>; }
struct reductions_here<Op, T> {};
template <class Op, class T>
  requires requires { typename Op::template result<T>; }
struct scans_here<Op, T> {};

}  // namespace tally::detail
