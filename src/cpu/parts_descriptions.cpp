// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/definition/describe.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(description_parts<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_PARTS_BOTH(description_parts<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
