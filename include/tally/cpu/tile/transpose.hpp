// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/tile/simd.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Interleaves lanes of a and b within blocks of 128 bits, as processors do it fast: those of each
// block's lower half (Half 0) or of its upper one.
template <int Half, int Lanes, int... I>
TALLY_CPU_FN vec<float, Lanes> interleave(vec<float, Lanes> a, vec<float, Lanes> b,
                                          std::integer_sequence<int, I...>) {
  constexpr int block = Lanes < 4 ? Lanes : 4;
  constexpr auto from = [](int i) { return i / block * block + (i % block + Half * block) / 2; };
#ifdef __CUDACC__  // nvcc 13 loses the pack
  vec<float, Lanes> out{};
  for (int i = 0; i < Lanes; ++i) out[i] = (i % 2 ? b : a)[from(i)];
  return out;
#else
  return __builtin_shufflevector(a, b, (I % 2 * Lanes + from(I))...);
#endif
}

// The lower halves (Half 0) or the upper ones of a and of b.
template <int Half, int Lanes, int... I>
TALLY_CPU_FN vec<float, Lanes> halves(vec<float, Lanes> a, vec<float, Lanes> b,
                                      std::integer_sequence<int, I...>) {
  constexpr auto from = [](int i) { return i % (Lanes / 2) + Half * (Lanes / 2); };
#ifdef __CUDACC__
  vec<float, Lanes> out{};
  for (int i = 0; i < Lanes; ++i) out[i] = (i < Lanes / 2 ? a : b)[from(i)];
  return out;
#else
  return __builtin_shufflevector(a, b, (I / (Lanes / 2) * Lanes + from(I))...);
#endif
}

// Transposes a square of at most 8 rows: each step moves one bit of the row's number to the lane's.
template <int Lanes>
TALLY_CPU_FN void transpose(vec<float, Lanes> (&row)[Lanes]) {
  static_assert(Lanes <= 8);
  constexpr auto all = std::make_integer_sequence<int, Lanes>{};
  constexpr int block = Lanes < 4 ? Lanes : 4;
  if constexpr (Lanes == 8) {
    for (int i = 0; i < 4; ++i) {
      auto const a = row[i], b = row[i + 4];
      row[i] = halves<0, Lanes>(a, b, all);
      row[i + 4] = halves<1, Lanes>(a, b, all);
    }
  }
  for (int step = 1; step < block; step *= 2) {
    vec<float, Lanes> out[Lanes];
    for (int i = 0; i < Lanes; i += block) {
      for (int j = 0; j < block / 2; ++j) {
        out[i + 2 * j] = interleave<0, Lanes>(row[i + j], row[i + j + block / 2], all);
        out[i + 2 * j + 1] = interleave<1, Lanes>(row[i + j], row[i + j + block / 2], all);
      }
    }
    for (int i = 0; i < Lanes; ++i) row[i] = out[i];
  }
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
