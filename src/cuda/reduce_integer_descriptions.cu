// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/describe.hpp"
#include "tally/device/agent/describe.cuh"

namespace tally::detail {

TALLY_INTEGER_DESCRIPTIONS(TALLY_KERNELS)

}  // namespace tally::detail
