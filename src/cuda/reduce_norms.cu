// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/agent/second_moments.cuh"

namespace tally::detail {

TALLY_NORMS(TALLY_KERNELS)

}  // namespace tally::detail
