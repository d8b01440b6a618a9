// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile, fast. Each function below either adds a whole tile to a fixed-point number
// without losing a bit, or sees that it cannot and changes nothing. None depends on order, so lanes
// and instruction sets are free; the last resort, one element at a time, is in
// exact_accumulator.hpp.
#pragma once

#include <algorithm>

#include "tally/aggregate/fixed_point.hpp"
#include "tally/aggregate/tile.hpp"
#include "tally/aggregate/vector.hpp"

#ifdef __FAST_MATH__
#error "Tally's sums need the arithmetic as written: compile what includes it without -ffast-math"
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

inline constexpr int tile_bits = 9;  // a tile has at most 2^9 elements

// The types up to 32 bits, as the bits of floats of the same value: exact for finite x, not finite
// for the others (float16: 2^16 and up).
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
  if constexpr (converts_float16<Lanes>) {
    auto const all = cast<bits>(float16_to_floats<Lanes>(half));
    if constexpr (!Skip) return all;
    return (all & 0x7fffffff) > 0x7f800000 ? 0 * all : all;
  } else {
    bits const wide = widened<Lanes>(half), magnitude = wide & 0x7fff;
    // The fraction and exponent land in a float's; 2^112 is the difference of the two biases.
    auto const value = cast<vec<float, Lanes>>(magnitude << 13) * 0x1p112f;
    auto const all = cast<bits>(value) | (wide & 0x8000) << 16;
    if constexpr (!Skip) return all;
    return magnitude > 0x7c00 ? 0 * all : all;
  }
}

// Where the values of a type lie, seen as floats or (double) as they are: the exponent field of the
// first value that is not finite, of the least normal one, and the precision.
template <floating T>
struct seen_as {
  using host = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int not_finite = is_one_of<T, float16> ? 127 + 16 : format<host>::max_field;
  static constexpr int least = is_one_of<T, float16> ? 127 - 14 : 1;
  static constexpr int precision = format<T>::precision;
};

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

template <class V>
TALLY_CPU_FN double sum_of_lanes(V v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}

// Integers, modulo 2^64.
template <class Tile>
TALLY_CPU_FN std::uint64_t sum_modulo_2_64(Tile const& t) {
  using T = typename Tile::element;
  // A tile of 16-bit integers cannot overflow 32 bits.
  using part = std::conditional_t<sizeof(T) <= 2, std::uint32_t, std::uint64_t>;
  part sums[lanes] = {};
  for_each_lane(t,
                [&](int k, int lane) __attribute__((always_inline)) { sums[lane] += part(t[k]); });
  part total = 0;
  for (part const p : sums) total += p;
  return std::uint64_t(
      std::conditional_t<std::is_signed_v<T>, std::make_signed_t<part>, part>(total));
}

// Floating types but double: while the elements are close enough together, plain double additions
// are exact. Close enough: 9 bits for their number, the binades from the least to the greatest, and
// the precision make at most 53 bits. (float16 always is.)
template <class Tile, class Digits>
TALLY_CPU_FN bool add_window(Tile const& t, Digits& into) {
  using T = typename Tile::element;
  using seen = seen_as<T>;
  constexpr int lanes = Tile::vector_bytes / 4;
  using bits = vec<std::uint32_t, lanes>;
  using doubles = vec<double, lanes / 2>;
  bits largest = {}, smallest = ~largest;
  doubles even = {}, odd = {};
  for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
    bits const b = float_bits<Tile::skips, lanes>(p);
    bits const magnitude = b & 0x7fffffff;
    largest = max_of(largest, magnitude);
    smallest = min_of(smallest, magnitude - 1);  // a zero becomes large
    auto const x = cast<vec<float, lanes>>(b);
    even += to_doubles<lanes / 2>(half_of<0, float, lanes>(x));
    odd += to_doubles<lanes / 2>(half_of<1, float, lanes>(x));
  });
  auto const high = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
  auto const low = fold_lanes(smallest, [](auto a, auto b) { return a < b ? a : b; });
  if (high == 0) return true;
  int const top = int(high >> 23), bottom = std::max(int(low >> 23), seen::least);
  if (top >= seen::not_finite || tile_bits + (top + 1 - bottom) + (seen::precision - 1) > 53)
    return false;
  into.add(sum_of_lanes(even + odd));
  return true;
}

// double: each element is cut into its upper 27 bits and the rest, and both are added up as above.
template <class Tile, class Digits>
TALLY_CPU_FN bool add_halves(Tile const& t, Digits& into) {
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  using bits = vec<std::uint64_t, lanes>;
  using signed_bits = vec<std::int64_t, lanes>;  // instruction sets lack unsigned comparisons
  constexpr int unroll = 2;
  signed_bits largest[unroll] = {}, smallest[unroll];
  for (auto& s : smallest) s = ~(signed_bits{} + std::numeric_limits<std::int64_t>::min());
  doubles high_sum[unroll] = {}, low_sum[unroll] = {};
  for_each_group<unroll * lanes>(t, 0.0, [&](double const* p) __attribute__((always_inline)) {
    for (int u = 0; u < unroll; ++u) {
      auto x = load<doubles>(p + u * lanes);
      if constexpr (Tile::skips) x = x == x ? x : 0 * doubles{};
      bits const b = cast<bits>(x);
      bits const magnitude = b & ~format<double>::sign;
      largest[u] = max_of(largest[u], cast<signed_bits>(magnitude));
      smallest[u] = min_of(smallest[u], cast<signed_bits>((magnitude - 1) >> 1));
      doubles const high = cast<doubles>(b & (~std::uint64_t(0) << 26));
      high_sum[u] += high;
      low_sum[u] += x - high;
    }
  });
  auto const high =
      fold_lanes(max_of(largest[0], largest[1]), [](auto a, auto b) { return a > b ? a : b; });
  auto const low =
      fold_lanes(min_of(smallest[0], smallest[1]), [](auto a, auto b) { return a < b ? a : b; });
  if (high == 0) return true;
  int const top = int(high >> 52), bottom = std::max(int(low >> 51), 1);
  bool const may_overflow = top + tile_bits >= format<double>::max_field;
  if (may_overflow || tile_bits + (top + 1 - bottom) + 26 > 53) return false;
  into.add(sum_of_lanes(high_sum[0] + high_sum[1]));
  into.add(sum_of_lanes(low_sum[0] + low_sum[1]));
  return true;
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
