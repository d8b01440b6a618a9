// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/sum.hpp"
#include "tally/device/agent/sum.cuh"

namespace tally::detail {

TALLY_SUMS(TALLY_KERNELS)
TALLY_WIDENED_SUMS(TALLY_KERNEL_OF)

}  // namespace tally::detail
