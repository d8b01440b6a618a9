// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/extrema.cuh"
#include "tally/device/agent/integer_sum.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::detail {

TALLY_GPU_TRANSFORMED(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
