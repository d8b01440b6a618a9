// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/describe.cuh"
#include "tally/definition/describe.hpp"

namespace tally::detail {

TALLY_DESCRIPTIONS(TALLY_KERNELS)

}  // namespace tally::detail
