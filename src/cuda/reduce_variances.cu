// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/moments.hpp"
#include "tally/device/agent/second_moments.cuh"

namespace tally::detail {

TALLY_VARIANCES(TALLY_KERNELS)

}  // namespace tally::detail
