// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(propagate, integer_running_sum<T, T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_SCAN(propagate, integer_running_sum<T, widest<T>>)
X(bool)
X(std::int8_t)
X(std::int16_t)
X(std::int32_t)
X(std::uint8_t)
X(std::uint16_t) X(std::uint32_t)
#undef X

#define X(T) TALLY_SCAN_BOTH(tree_sum<T>)
    TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
