// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/agent/extrema.cuh"

namespace tally::detail {

TALLY_EXTREMA(TALLY_KERNELS)

}  // namespace tally::detail
