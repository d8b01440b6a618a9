// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"

namespace tally::detail {

TALLY_EXTREMA(TALLY_HOLD)
TALLY_ARG_EXTREMA(TALLY_HOLD)

}  // namespace tally::detail
