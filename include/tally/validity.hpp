// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tally/types.hpp"

namespace tally {

// Which elements of an array are there, as in Arrow's bitmaps of validity: bit i % 8 of byte i / 8
// says so of i, which counts from `offset` on for the array's first element. It lies where the
// elements lie. An element that is missing is, of a floating-point type, a NaN, whatever its place
// holds. Of integers it is absent where NaNs are to be skipped. Where they are not, floating-point
// results are NaN and a position is that of the first missing element; an integer result of what is
// missing is an error. Reductions also know elements that are absent of whatever type, and whatever
// is done about NaNs, as where a mask leaves them out.
struct validity {
  std::uint8_t const* bits = nullptr;  // null: all are there
  std::int64_t offset = 0;
  bool absent = false;

  TALLY_FN explicit operator bool() const { return bits != nullptr; }
  TALLY_FN bool operator[](std::int64_t i) const {
    std::int64_t const at = offset + i;
    return bits[at >> 3] >> (at & 7) & 1;
  }
};

}  // namespace tally
