// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/aggregate/product.hpp"

namespace tally::detail {

#define X(T) TALLY_PARTS(integer_product<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_TREE(tree_product<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
