// SPDX-License-Identifier: Apache-2.0
#include "tally/device/rows/each_index.cuh"

#include "tally/gpu/each_index.hpp"

namespace tally::detail {

template <class Step>
void for_each_index_by_gpu(gpu_context& context, std::uint64_t count, Step const& step) {
  for_each_index_on_gpu(context, count, step);
}

TALLY_MISSING_STEPS(TALLY_STEP)
TALLY_ELEMENT_STEPS(TALLY_STEP)
TALLY_DIGIT_STEPS(TALLY_STEP)

}  // namespace tally::detail
