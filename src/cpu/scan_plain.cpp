// SPDX-License-Identifier: Apache-2.0
#include "scans.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(sum, T, T)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_SCAN(sum, T, widest<T>)
TALLY_NARROW_INTEGERS(X)
#undef X
#define X(T) TALLY_SCAN(fast_sum, T, T)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
