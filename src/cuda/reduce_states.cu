// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/moments.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::detail {

TALLY_GPU_STATES(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
