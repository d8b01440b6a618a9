// SPDX-License-Identifier: Apache-2.0
#include "scans.hpp"
#include "tally/aggregate/extrema.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(minimum, T, T) TALLY_SCAN(maximum, T, T)
TALLY_INTEGERS(X)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
