// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/integer_sum.cuh"

namespace tally::detail {

TALLY_GPU_DOTS(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
