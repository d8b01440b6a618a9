// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

TALLY_STATES(TALLY_HOLD)

}  // namespace tally::detail
