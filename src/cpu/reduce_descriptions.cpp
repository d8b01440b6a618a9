// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/describe.hpp"

namespace tally::detail {

TALLY_DESCRIPTIONS(TALLY_HOLD)
TALLY_INTEGER_DESCRIPTIONS(TALLY_HOLD)

}  // namespace tally::detail
