// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/definition/dot.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(integer_dot<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_PARTS_BOTH(exact_dot<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
