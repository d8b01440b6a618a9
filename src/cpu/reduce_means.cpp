// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/moments.hpp"

namespace tally::detail {

TALLY_MEANS(TALLY_HOLD)
TALLY_ROUNDED_MEANS(TALLY_HOLD_ONE)

}  // namespace tally::detail
