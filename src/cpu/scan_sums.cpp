// SPDX-License-Identifier: Apache-2.0
#include "scans.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(sum, float, T) TALLY_SCAN(sum, double, T)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
