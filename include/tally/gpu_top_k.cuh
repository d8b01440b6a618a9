// SPDX-License-Identifier: Apache-2.0
//
// For top_k, kth_value and quantile on a GPU of inputs that are not arrays, as gpu_reduce.cuh for
// reductions.
#pragma once

#include "tally/device/top_k/kth/launch.cuh"
#include "tally/device/top_k/launch.cuh"
#include "tally/gpu/quantile.hpp"
#include "tally/quantile.hpp"
#include "tally/top_k.hpp"

namespace tally::detail {

template <class In>
struct selections_here {};

}  // namespace tally::detail
