// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/device/agent/dot.cuh"
#include "tally/device/agent/moments.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::detail {

TALLY_STATES(TALLY_KERNELS)

}  // namespace tally::detail
