// SPDX-License-Identifier: Apache-2.0
//
// Whether any of some elements is in one of two ranges: not each is compared with their ends, but
// the least distance from their begins. That takes an instruction an element and range where a GPU
// adds and compares in one, and of two bytes half of it.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/exact/bit_ranges.hpp"

namespace tally::device {

// Whether any of the elements is in one of the ranges. It may say so of none, where a range has
// all.
template <int Items, class Bits>
__device__ bool any_reaches(bit_ranges<Bits> const& ranges, Bits const* x) {
  if constexpr (sizeof(Bits) >= 4) {
    Bits a = Bits(~Bits(0)), b = a;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      Bits const to_a = x[i] - ranges.a.first, to_b = x[i] - ranges.b.first;
      a = to_a < a ? to_a : a;
      b = to_b < b ? to_b : b;
    }
    return (a <= ranges.a.more) | (b <= ranges.b.more);
  } else {
    // A byte is the upper one of a half; what is below it decides between equal ones, if at all.
    constexpr unsigned both = sizeof(Bits) == 2 ? 0x10001 : 0x1000100;
    unsigned const to_a = Bits(-ranges.a.first) * both, to_b = Bits(-ranges.b.first) * both;
    unsigned a = ~0u, b = ~0u;
#pragma unroll
    for (int i = 0; i < Items; i += 4 / int(sizeof(Bits))) {
      unsigned word;
      __builtin_memcpy(&word, x + i, 4);
      a = least_halves(word, to_a, a);
      if constexpr (sizeof(Bits) == 1)  // of which both ranges are the same
        a = least_halves(word << 8, to_a, a);
      else
        b = least_halves(word, to_b, b);
    }
    auto const least = [](unsigned halves) {
      unsigned const low = halves & 0xffff, high = halves >> 16;
      return (low < high ? low : high) >> (sizeof(Bits) == 1 ? 8 : 0);
    };
    if constexpr (sizeof(Bits) == 1) return least(a) <= ranges.a.more;
    return (least(a) <= ranges.a.more) | (least(b) <= ranges.b.more);
  }
}

}  // namespace tally::device
