// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"

namespace tally::detail {

TALLY_GPU_BITS(TALLY_REDUCE_ON_GPU)

}  // namespace tally::detail
