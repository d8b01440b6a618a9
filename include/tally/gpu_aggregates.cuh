// SPDX-License-Identifier: Apache-2.0
//
// For named aggregates of which the library holds no kernel: all_together(), results of another
// type, inputs of one's own. With this header, reduce(gpu, ...) and scans compile their kernels
// where they are called.
#pragma once

#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/agent/together.cuh"
#include "tally/device/scan/prefix/exact.cuh"
#include "tally/device/scan/prefix/integer.cuh"
#include "tally/device/scan/prefix/steps_of_numbers.cuh"
#include "tally/gpu_reduce_rows.cuh"
#include "tally/gpu_scan.cuh"

namespace tally::detail {

template <class Op, class T>
  requires requires { typename Op::template result<T>; }
struct reductions_here<Op, T> {};
template <class Op, class T>
  requires requires { typename Op::template result<T>; }
struct scans_here<Op, T> {};

}  // namespace tally::detail
