// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/second_moments.cuh"

namespace tally::detail {

TALLY_GPU_NORMS(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
