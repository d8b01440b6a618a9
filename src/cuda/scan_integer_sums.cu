// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/prefix/integer.cuh"

namespace tally::detail {

TALLY_SCANS_OF_INTEGERS(TALLY_SCAN_KERNEL)

}  // namespace tally::detail
