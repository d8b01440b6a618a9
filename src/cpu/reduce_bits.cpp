// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"

namespace tally::detail {

TALLY_BITS(TALLY_HOLD)

}  // namespace tally::detail
