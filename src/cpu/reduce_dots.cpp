// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/dot.hpp"

namespace tally::detail {

TALLY_DOTS(TALLY_HOLD)
TALLY_ROUNDED_DOTS(TALLY_HOLD_ONE)

}  // namespace tally::detail
