// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

TALLY_SCAN_BOTH(exact_running_sum<float, float>)
TALLY_SCAN_BOTH(exact_running_sum<float, double>)
TALLY_SCAN_BOTH(exact_running_sum<double, double>)

}  // namespace tally::detail
