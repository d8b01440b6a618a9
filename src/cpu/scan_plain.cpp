// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(propagate, integer_running_sum<T, T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_SCAN(propagate, integer_running_sum<T, widest<T>>)
TALLY_NARROW_INTEGERS(X)
#undef X

#define X(T) TALLY_SCAN_BOTH(tree_sum<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
