// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/aggregate/logic.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(zeros<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_PARTS_BOTH(zeros<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
