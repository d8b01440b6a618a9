// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/claim.hpp"
#include "tally/cpu/prefix/integer_prefix.hpp"
#include "tally/cpu/prefix/ziv_rounding.hpp"
#include "tally/cpu/tile/conversions.hpp"
#include "tally/cpu/tile/exponent_range.hpp"
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

// The running sums of a tile of floats or narrower, as doubles, exact if e.top + tile_bits -
// e.lowest <= 53. The tile is split into squares of Lanes runs of Lanes elements, each lane of a
// vector in a run of its own.
template <floating In, int Lanes>
class tile_sums {
  using doubles = vec<double, Lanes>;
  using floats = vec<float, Lanes>;
  using bits = vec<std::uint32_t, Lanes>;
  static constexpr int square = Lanes * Lanes, squares = (1 << tile_bits) / square;

 public:
  // Computes the sums within each run, and returns where the elements lie.
  template <class Tile>
  TALLY_CPU_FN exponent_range take(Tile const& t) {
    bits largest{}, smallest = ~largest;
    used_ = 0;
    for_each_group<square>(t, In{}, [&](In const* p) __attribute__((always_inline)) {
      floats row[Lanes];
      for (int i = 0; i < Lanes; ++i) {
        bits const b = float_bits<Tile::skips, Lanes>(p + i * Lanes), magnitude = b & 0x7fffffff;
        largest = max_of(largest, magnitude);
        smallest = min_of(smallest, magnitude - 1);  // a zero becomes large
        row[i] = cast<floats>(b);
      }
      transpose<Lanes>(row);
      doubles* const sum = sum_[used_++];
      sum[0] = to_doubles<Lanes>(row[0]);
      for (int i = 1; i < Lanes; ++i) sum[i] = sum[i - 1] + to_doubles<Lanes>(row[i]);
    });
    return exponent_range_of_lanes<In>(largest, smallest);
  }

  // Computes what is before each run, and returns the tile's sum.
  TALLY_CPU_FN double accumulate() {
    doubles before{};
    for (int s = 0; s < used_; ++s) {
      doubles const run = sum_[s][Lanes - 1], up_to = running_sums<1, double, Lanes>(run);
      start_[s] = before + (up_to - run);
      before += up_to[Lanes - 1];
    }
    return before[0];
  }

  // Writes out[k] = base + (rest + the sum up to k), rounded; false if one is undecided
  // (ziv_rounding.hpp).
  template <floating Out>
  TALLY_CPU_FN bool emit(int count, double base, double rest, int tolerance, double least,
                         Out* out) const {
    ziv_rounding<Out, Lanes> rounded(tolerance, least);
    for (int s = 0; s < used_; ++s, out += square, count -= square) {
      doubles const start = rest + start_[s];
      floats row[Lanes];
      for (int i = 0; i < Lanes; ++i) row[i] = rounded(base + (start + sum_[s][i]));
      for (int i = 0; i < Lanes; ++i)
        TALLY_CLAIM(note_across(s * square + i, Lanes, base + (start + sum_[s][i])));
      transpose<Lanes>(row);
      for (int i = 0; i < Lanes; ++i)
        store_some(rounded.finish(row[i]), out + i * Lanes, count - i * Lanes);
    }
    return rounded.decided();
  }

 private:
  int used_ = 0;  // squares
  doubles sum_[squares][Lanes], start_[squares];
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
