// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

TALLY_INTEGER_SUMS(TALLY_HOLD)
TALLY_SUMS(TALLY_HOLD)
TALLY_WIDENED_SUMS(TALLY_HOLD_ONE)
TALLY_NARROWED_SUMS(TALLY_HOLD_ONE)

}  // namespace tally::detail
