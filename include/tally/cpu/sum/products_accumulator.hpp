// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/sum/exact_accumulator.hpp"
#include "tally/exact/exact_products.hpp"

namespace tally::detail {

// Adds a tile of pairs to exact_products: its products, as doubles, by an exact_accumulator.
template <floating T>
struct products_accumulator {
  compiled_accumulator<exact_accumulator<double>> sums;
  std::uint64_t in_doubles = 0;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, exact_products<T>& s) {
    constexpr int terms = std::is_same_v<T, double> ? 2 : 1;
    double values[terms][Tile::size];
    if (!multiply(t, values)) return add_pairs(t, s);
    for (auto const& v : values)
      sums.add(tile<double, propagate, Tile::vector_bytes>{v, t.count, t.first}, s);
    ++in_doubles;
  }
  void flush(exact_products<T>& s) {
    sums.flush(s);
    count_path(path::dot_products, in_doubles);
  }

 private:
  // Products of at most 48 bits are doubles; infinities and NaN come out as they should.
  template <class Tile>
  static TALLY_CPU_FN bool multiply(Tile const& t, double (&value)[1][Tile::size]) {
    for (int k = 0; k < t.count; ++k) {
      double const product = to_double(t.data.first[k]) * to_double(t.data.second[k]);
      value[0][k] = t.live(k) ? product : 0;
    }
    return true;
  }

  // a * b = product + error, if neither is too large or too small. (This is TwoProduct by a fused
  // operation: T. Ogita, S. M. Rump and S. Oishi, "Accurate sum and dot product", SIAM J. Sci.
  // Comput. 26(6), 2005.)
  template <class Tile>
  static TALLY_CPU_FN bool multiply(Tile const& t, double (&value)[2][Tile::size]) {
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
    std::uint64_t inexact = 0;
    TALLY_CLAIM(begin());
    for (int k = 0; k < t.count; ++k) {
      double const a = t.live(k) ? t.data.first[k] : 0, b = t.live(k) ? t.data.second[k] : 0;
      double const product = a * b, size = product < 0 ? -product : product;
      bool const zero = (product == 0) & ((a == 0) | (b == 0));
      inexact |= zero | ((size >= 0x1p-960) & (size <= 0x1p1000)) ? 0 : 1;
      value[0][k] = product;
      value[1][k] = __builtin_fma(a, b, -product);
      TALLY_CLAIM(product("products.error", a, b, product, value[1][k]));
      TALLY_CLAIM(within("products.size", product, 0x1p1000));
    }
    TALLY_CLAIM(settle(!inexact));
    return !inexact;
#else
    return false;  // the caller's compiler may fuse what must stay apart
#endif
  }

  static TALLY_CPU_FN double to_double(float x) { return x; }
  template <class Half>
  static TALLY_CPU_FN double to_double(Half x) {
    return to_float(x);
  }

  template <class Tile>
  static TALLY_CPU_COLD void add_pairs(Tile const& t, exact_products<T>& s) {
    for (int k = 0; k < t.count; ++k)
      if (t.live(k)) s.add(t.data.first[k], t.data.second[k]);
    count_path(path::dot_elements);
  }
};

// Adds a tile of pairs of integers to the sum of their products modulo 2^64.
template <integer T>
struct integer_products_accumulator {
  using state = std::uint64_t;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, state& s) {
    // A tile's products of 8-bit integers cannot overflow 32 bits.
    using partial = std::conditional_t<sizeof(T) == 1, std::uint32_t, std::uint64_t>;
    partial sums[lanes] = {};
    for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
      sums[lane] += partial(t.data.first[k]) * partial(t.data.second[k]);
    });
    partial total = 0;
    for (partial const p : sums) total += p;
    s +=
        state(std::conditional_t<std::is_signed_v<T>, std::make_signed_t<partial>, partial>(total));
  }
  void flush(state&) const {}
};

}  // namespace tally::detail
