// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/dot.hpp"

namespace tally::detail {

#define X(T) TALLY_REDUCE(propagate, integer_dot<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(exact_dot<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
