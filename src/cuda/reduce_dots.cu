// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/dot.hpp"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/integer_sum.cuh"

namespace tally::detail {

TALLY_DOTS(TALLY_KERNELS)

}  // namespace tally::detail
