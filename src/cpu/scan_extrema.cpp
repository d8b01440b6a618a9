// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/aggregate/running_extremum.hpp"

namespace tally::detail {

#define X(T)                                       \
  TALLY_SCAN(propagate, running_extremum<T, true>) \
  TALLY_SCAN(propagate, running_extremum<T, false>)
TALLY_INTEGERS(X)
#undef X
#define X(T)                                 \
  TALLY_SCAN_BOTH(running_extremum<T, true>) \
  TALLY_SCAN_BOTH(running_extremum<T, false>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
