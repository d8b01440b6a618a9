// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/aggregate/extrema.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(extrema<T>) TALLY_PARTS_OF(propagate, extreme_values<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T)                   \
  TALLY_PARTS_BOTH(extrema<T>) \
  TALLY_PARTS_OF(propagate, extreme_values<T>) TALLY_PARTS_OF(skip, extreme_values<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
