// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/sum.hpp"
#include "tally/device/agent/extrema.cuh"
#include "tally/device/agent/integer_sum.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::detail {

TALLY_TRANSFORMED(TALLY_KERNEL_COMPUTED)

}  // namespace tally::detail
