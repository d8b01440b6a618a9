// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold the compiled kernels, one family each.
#pragma once

#include "src/cuda/instances.hpp"
#include "tally/device/reduce_array.cuh"
#include "tally/device/scan_array.cuh"

namespace tally::detail {

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                            void* result, bool* found) {
  auto const a = op.template on<typename In::element>();
  using bound = std::remove_const_t<decltype(a)>;
  reduce_on_gpu(context, a, nan, in, static_cast<typename bound::result*>(result), found);
}

template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                          Out* out, gpu_scan<Out> const& how) {
  scan_on_gpu(context, op.template scanning<typename In::element, Out>(), nan, in, out, how);
}

}  // namespace tally::detail
