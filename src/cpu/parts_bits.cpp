// SPDX-License-Identifier: Apache-2.0
#include "parts.hpp"
#include "tally/aggregate/bits.hpp"

namespace tally::detail {

#define X(T) \
  TALLY_PARTS(bitwise<T, bit_and>) TALLY_PARTS(bitwise<T, bit_or>) TALLY_PARTS(bitwise<T, bit_xor>)
TALLY_INTEGERS(X)
#undef X

}  // namespace tally::detail
