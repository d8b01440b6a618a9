// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"

namespace tally::detail {

TALLY_PRODUCTS(TALLY_HOLD)

}  // namespace tally::detail
