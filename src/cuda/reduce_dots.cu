// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/integer_sum.cuh"
#include "tally/definition/dot.hpp"

namespace tally::detail {

TALLY_DOTS(TALLY_KERNELS)

}  // namespace tally::detail
