// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.cuh"
#include "tally/device/prefix/exact.cuh"

namespace tally::detail {

TALLY_SCANS_TO(TALLY_SCAN_KERNEL, double)

}  // namespace tally::detail
