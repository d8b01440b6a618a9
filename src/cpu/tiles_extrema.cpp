// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/extrema.hpp"
#include "tiles.hpp"

namespace tally::detail {

template <class T>
using state_of_extrema = typename extrema<T>::state;

#define X(T, POSITIONS)                                                             \
  TALLY_TILES(propagate, T, state_of_extrema<T>, extrema_accumulator<T, POSITIONS>) \
  TALLY_FLUSH(state_of_extrema<T>, extrema_accumulator<T, POSITIONS>)
#define BOTH(T) X(T, true) X(T, false)
TALLY_INTEGERS(BOTH)
#undef X
#define X(T, POSITIONS)                                                       \
  TALLY_TILES_BOTH(T, state_of_extrema<T>, extrema_accumulator<T, POSITIONS>) \
  TALLY_FLUSH(state_of_extrema<T>, extrema_accumulator<T, POSITIONS>)
TALLY_FLOATS(BOTH)
#undef BOTH
#undef X

}  // namespace tally::detail
