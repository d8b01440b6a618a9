// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

#define X(T) TALLY_REDUCE(propagate, integer_sum<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(exact_sum<T>) TALLY_REDUCE_BOTH(tree_sum<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
