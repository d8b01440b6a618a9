// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/moments.hpp"

namespace tally::detail {

TALLY_VARIANCES(TALLY_HOLD)

}  // namespace tally::detail
