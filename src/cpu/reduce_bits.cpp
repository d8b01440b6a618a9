// SPDX-License-Identifier: Apache-2.0
#include "instances.hpp"
#include "tally/aggregate/bits.hpp"

namespace tally::detail {

#define X(T)                                   \
  TALLY_REDUCE(propagate, bitwise<T, bit_and>) \
  TALLY_REDUCE(propagate, bitwise<T, bit_or>)  \
  TALLY_REDUCE(propagate, bitwise<T, bit_xor>)
TALLY_INTEGERS(X)
#undef X

}  // namespace tally::detail
