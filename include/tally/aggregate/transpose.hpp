// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/vector.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The lanes of a and b in turn: of their lower halves (Part 0) or of their upper ones.
template <int Part, int Lanes, int... I>
TALLY_CPU_FN vec<float, Lanes> interleave(vec<float, Lanes> a, vec<float, Lanes> b,
                                          std::integer_sequence<int, I...>) {
#ifdef __CUDACC__  // nvcc 13 loses the pack
  vec<float, Lanes> out{};
  for (int i = 0; i < Lanes; ++i) out[i] = (i % 2 ? b : a)[(i + Part * Lanes) / 2];
  return out;
#else
  return __builtin_shufflevector(a, b, (I % 2 * Lanes + (I + Part * Lanes) / 2)...);
#endif
}

// A square of Lanes rows: each step moves one bit of the row's number to the lane's.
template <int Lanes>
TALLY_CPU_FN void transpose(vec<float, Lanes> (&row)[Lanes]) {
  constexpr auto all = std::make_integer_sequence<int, Lanes>{};
  for (int step = 1; step < Lanes; step *= 2) {
    vec<float, Lanes> out[Lanes];
    for (int i = 0; i < Lanes / 2; ++i) {
      out[2 * i] = interleave<0, Lanes>(row[i], row[i + Lanes / 2], all);
      out[2 * i + 1] = interleave<1, Lanes>(row[i], row[i + Lanes / 2], all);
    }
    for (int i = 0; i < Lanes; ++i) row[i] = out[i];
  }
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
