// SPDX-License-Identifier: Apache-2.0
//
// A tile in other types: as floats, as doubles.
#pragma once

#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Elements of up to 32 bits as the bits of floats. Those of finite elements have the same value;
// the others are not finite, or 2^16 and more for float16. If Skip, NaNs become zeros.
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(float const* p) {
  auto const bits = load<vec<std::uint32_t, Lanes>>(p);
  if constexpr (!Skip) return bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0 * bits : bits;
}
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(bfloat16 const* p) {
  auto const half = load<vec<std::uint16_t, Lanes>>(p);
  auto const bits = widened<Lanes>(half) << 16;
  if constexpr (!Skip) return bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0 * bits : bits;
}
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(float16 const* p) {
  using bits = vec<std::uint32_t, Lanes>;
  auto const half = load<vec<std::uint16_t, Lanes>>(p);
  auto const all = cast<bits>(float16_as_floats<Lanes>(half));
  if constexpr (!Skip) return all;
  return (widened<Lanes>(half) & 0x7fff) > 0x7c00 ? 0 * all : all;
}

// A tile of a type up to 32 bits as floats of the same values, which are put into `converted` if
// they have to be; what is skipped is zero.
template <class Tile>
TALLY_CPU_FN auto as_floats(Tile const& t, float (&converted)[Tile::size]) {
  using T = typename Tile::element;
  tile<float, propagate, Tile::vector_bytes, Tile::size> floats{converted, t.count, t.first};
  if constexpr (std::is_same_v<T, float> && !Tile::skips) {
    floats.data = t.data;
  } else {
    constexpr int lanes = Tile::vector_bytes / 4;
    float* out = converted;
    for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const b = float_bits<Tile::skips, lanes>(p);
      __builtin_memcpy(out, &b, sizeof b);
      out += lanes;
    });
  }
  return floats;
}

// Calls f(x) for vectors of doubles that hold the tile's values, and zeros.
template <class Tile, class F>
TALLY_CPU_FN void for_each_double(Tile const& t, F&& f) {
  using T = typename Tile::element;
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  if constexpr (std::is_same_v<T, double>) {
    for_each_group<lanes>(t, 0.0, [&](double const* p) __attribute__((always_inline)) {
      auto x = load<doubles>(p);
      if constexpr (Tile::skips) x = x == x ? x : 0 * doubles{};
      f(x);
    });
  } else {
    for_each_group<2 * lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const x = cast<vec<float, 2 * lanes>>(float_bits<Tile::skips, 2 * lanes>(p));
      f(to_doubles<lanes>(half_of<0, float, 2 * lanes>(x)));
      f(to_doubles<lanes>(half_of<1, float, 2 * lanes>(x)));
    });
  }
}

TALLY_CPU_FN double power_of_two(int exponent) {  // for a normal result
  return __builtin_bit_cast(double, std::uint64_t(1023 + exponent) << 52);
}

template <class V>
TALLY_CPU_FN double sum_of_lanes(V v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
