// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/moments.hpp"

namespace tally::detail {

TALLY_ROUNDED_DEVIATIONS(TALLY_HOLD_ONE)

}  // namespace tally::detail
