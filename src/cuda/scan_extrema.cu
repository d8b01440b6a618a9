// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"

namespace tally::detail {

#define X(O, T) TALLY_SCAN_KERNEL(O, T, T)
TALLY_EACH_element(X, minimum) TALLY_EACH_element(X, maximum)
#undef X

}  // namespace tally::detail
