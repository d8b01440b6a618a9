// SPDX-License-Identifier: Apache-2.0
#include "scans.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

#define X(T) TALLY_SCAN(sum, float16, T) TALLY_SCAN(sum, bfloat16, T)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
