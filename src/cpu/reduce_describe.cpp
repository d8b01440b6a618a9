// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/definition/describe.hpp"

namespace tally::detail {

template <class T>
using described_parts = both<moments<T, true>, extrema<T>>;

#define X(T) TALLY_REDUCE(propagate, described_parts<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T) TALLY_REDUCE_BOTH(described_parts<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
