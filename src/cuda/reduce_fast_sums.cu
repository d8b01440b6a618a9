// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/integer_sum.cuh"

namespace tally::detail {

TALLY_FAST_SUMS(TALLY_KERNELS)

}  // namespace tally::detail
