// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"

namespace tally::detail {

TALLY_PRODUCTS(TALLY_KERNELS)

}  // namespace tally::detail
