// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/aggregate/fast_sum.hpp"

namespace tally::detail {

#define X(T) TALLY_TREE(tree_sum<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
