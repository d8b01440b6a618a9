// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/extrema.hpp"
#include "tiles.hpp"

namespace tally::detail {

template <class T>
using state_of_extrema = typename extrema<T>::state;

#define X(T)                                                             \
  TALLY_TILES(propagate, T, state_of_extrema<T>, extrema_accumulator<T>) \
  TALLY_FLUSH(state_of_extrema<T>, extrema_accumulator<T>)
TALLY_INTEGERS(X)
#undef X
#define X(T)                                                       \
  TALLY_TILES_BOTH(T, state_of_extrema<T>, extrema_accumulator<T>) \
  TALLY_FLUSH(state_of_extrema<T>, extrema_accumulator<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
