// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold the compiled kernels, one family each.
#pragma once

#include "src/cuda/instances.hpp"
#include "tally/device/reduce_array.cuh"

namespace tally::detail {

template <aggregate A, input In>
void compiled_reduce_on_gpu(gpu_context& context, A const& a, nan_policy nan, In const& in,
                            typename A::result* out, bool* found) {
  reduce_on_gpu(context, a, nan, in, out, found);
}

}  // namespace tally::detail
