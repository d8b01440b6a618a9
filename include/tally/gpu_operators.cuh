// SPDX-License-Identifier: Apache-2.0
//
// For operators and aggregates of one's own on a GPU: with this header, reduce(gpu, ...) and scans
// compile their kernels where it is called, and top_k, kth_value and quantile those of inputs that
// are not arrays. Include it in every source that calls with such an operator, or in none:
// reduce(tally::best(), ...) asks whether there is a kernel. Light on purpose: it brings no
// aggregate of Tally's.
#pragma once

#include "tally/device/reduce_array.cuh"
#include "tally/device/scan_array.cuh"
#include "tally/device/top_k/kth/launch.cuh"
#include "tally/device/top_k/launch.cuh"
#include "tally/gpu.hpp"

namespace tally::detail {

template <class Op, class T>
  requires(!requires { typename Op::template result<T>; })
struct kernels_here<Op, T> {};
template <class In>
struct selections_here {};

}  // namespace tally::detail
