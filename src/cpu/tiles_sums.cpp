// SPDX-License-Identifier: Apache-2.0
#include "tiles.hpp"

namespace tally::detail {

#define X(T)                                                \
  TALLY_TILES_BOTH(T, exact_state<T>, exact_accumulator<T>) \
  TALLY_FLUSH(exact_state<T>, exact_accumulator<T>)
TALLY_FLOATS(X)
#undef X

}  // namespace tally::detail
