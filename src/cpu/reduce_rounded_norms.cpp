// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/sum_of_squares.hpp"

namespace tally::detail {

TALLY_ROUNDED_NORMS(TALLY_HOLD_ONE)

}  // namespace tally::detail
