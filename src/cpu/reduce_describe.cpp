// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"

namespace tally::detail {

template <class T>
using described = both<moments<T, true>, extrema<T>>;

#define X(T) TALLY_REDUCE(propagate, described<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(described<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
