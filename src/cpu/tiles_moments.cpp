// SPDX-License-Identifier: Apache-2.0
#include "tally/definition/moments.hpp"
#include "tiles.hpp"

namespace tally::detail {

template <class T>
using state_of_moments = typename moments<T, true>::state;

#define X(T)                                                       \
  TALLY_TILES_BOTH(T, state_of_moments<T>, moments_accumulator<T>) \
  TALLY_FLUSH(state_of_moments<T>, moments_accumulator<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
