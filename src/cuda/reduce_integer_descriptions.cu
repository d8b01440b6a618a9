// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/describe.cuh"

namespace tally::detail {

TALLY_GPU_INTEGER_DESCRIPTIONS(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
