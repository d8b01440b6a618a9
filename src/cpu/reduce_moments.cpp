// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/moments.hpp"

namespace tally::detail {

#define X(T) TALLY_REDUCE(propagate, moments<T, false>) TALLY_REDUCE(propagate, moments<T, true>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(moments<T, false>) TALLY_REDUCE_BOTH(moments<T, true>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
