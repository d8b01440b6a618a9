// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"

namespace tally::detail {

TALLY_BITS(TALLY_KERNELS)

}  // namespace tally::detail
