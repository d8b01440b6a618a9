// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/definition/moments.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(moments<T, false>) TALLY_PARTS(moments<T, true>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_PARTS_BOTH(moments<T, false>) TALLY_PARTS_BOTH(moments<T, true>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
