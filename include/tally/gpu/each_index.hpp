// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/digit_steps.hpp"
#include "tally/element_steps.hpp"
#include "tally/gpu/context.hpp"
#include "tally/missing.hpp"

namespace tally::detail {

// A step for each index below `count`, in the stream's order, on a device that has been entered
// (device/rows/each_index.cuh): those of TALLY_MISSING_STEPS,
// TALLY_ELEMENT_STEPS and TALLY_DIGIT_STEPS.
template <class Step>
void for_each_index_by_gpu(gpu_context& context, std::uint64_t count, Step const& step);

#define TALLY_STEP(...) \
  template void for_each_index_by_gpu<__VA_ARGS__>(gpu_context&, std::uint64_t, __VA_ARGS__ const&);

}  // namespace tally::detail
