// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/aggregate/extrema.hpp"

namespace tally::detail {

#define X(T) TALLY_REDUCE(propagate, extrema<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(extrema<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
