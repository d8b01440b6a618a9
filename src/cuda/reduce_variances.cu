// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/second_moments.cuh"
#include "tally/definition/moments.hpp"

namespace tally::detail {

TALLY_VARIANCES(TALLY_KERNELS)

}  // namespace tally::detail
