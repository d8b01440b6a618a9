// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums in integers, where a processor converts between vectors of floats
// and of 64-bit integers (AVX-512): what lies on one grid of 61 bits needs no test of an output,
// because a conversion to float rounds once.
#pragma once

#include "tally/cpu/prefix/integer_prefix.hpp"
#include "tally/cpu/prefix/ziv_rounding.hpp"
#include "tally/cpu/tile/exponent_range.hpp"
#include "tally/cpu/tile/tile_output.hpp"
#include "tally/exact/fixed_point.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// A sum, and the tiles after it, as integers in units of 2^grid. Elements are floats or narrower,
// and so are results. What the sum has below its last unit stays where it is, and that unit is set
// for it, a sticky bit: the sum is then odd, where all elements are even, and rounds as the exact
// sum does, unless a float is finer than the unit.
template <floating In, floating Out>
class fixed_prefix {
  static constexpr int lanes = 8;
  using ints = vec<std::int64_t, lanes>;
  using words = vec<std::uint64_t, lanes>;  // sums, which overflow for tiles that do not fit
  using floats = vec<float, lanes>;
  using bits = vec<std::uint32_t, 2 * lanes>;
  using half_bits = vec<std::uint32_t, lanes>;

 public:
  template <int VectorBytes>
  static constexpr bool available =
#ifdef TALLY_NAMES_INSTRUCTIONS
      VectorBytes == 64 && !is_one_of<double, In, Out>;
#else
      false;
#endif

  bool on() const { return on_; }

  // Whether elements in the range e may share a grid with a sum before them that is below 2^top.
  static bool could_hold(int top, exponent_range const& e) {
    return e.finite && (e.zero || std::max(top, e.top + tile_bits) - e.lowest <= range);
  }
  // Takes from `sum` what the grid holds of it; elements in the range e follow. False if they do
  // not share a grid.
  template <class Digits>
  TALLY_CPU_COLD bool enter(Digits& sum, exponent_range const& e) {
    bool negative;
    auto const m = sum.magnitude(negative);
    int const length = m.bit_length();
    int lowest = 0;
    while (lowest < length && !m.bit(lowest)) ++lowest;
    int top = sum.lsb + length, own = sum.lsb + lowest;
    if (length == 0) top = own = e.zero ? 0 : e.top;
    if (!e.zero) top = std::max(top, e.top + tile_bits);
    constexpr int growth = 3;  // room above, if the grid can be so coarse
    int grid = std::min(e.zero ? own : e.lowest, std::max(top + growth - range, -126));
    int const whole = std::min(grid, own);
    bool const rest = top - whole > range || whole < -126;
    grid = rest ? grid - 1 : whole;
    if (!e.finite || top - grid > range || grid < -126 || grid > 126) return false;
    grid_ = grid;
    rest_ = rest;
    auto const units = m.template slice<2>(grid - sum.lsb);
    auto const size = std::uint64_t(units.limb[0] | std::uint64_t(units.limb[1]) << 32) | rest;
    sum.add(!negative, size, grid);
    before_ = negative ? -std::int64_t(size) : std::int64_t(size);
    return on_ = true;
  }
  template <class Digits>
  void leave(Digits& sum) {
    if (!std::exchange(on_, false)) return;
    auto const size = before_ < 0 ? -std::uint64_t(before_) : std::uint64_t(before_);
    sum.add(before_ < 0, size, grid_);
  }

  // Writes the tile's running sums and moves past it, or does not move; `e` becomes its range.
  template <class Tile, class To>
  TALLY_CPU_FN bool emit(Tile const& t, To out, exponent_range& e) {
    return rest_ ? emit_beside<true>(t, out, e) : emit_beside<false>(t, out, e);
  }

 private:
  // Before a tile a sum has at most `range` bits, and so have the tile's own sums.
  static constexpr int range = 61;
  bool on_ = false, rest_ = false;
  int grid_ = 0;
  std::int64_t before_ = 0;

  template <bool Rest, class Tile, class To>
  TALLY_CPU_FN bool emit_beside(Tile const& t, To out, exponent_range& e) {
    float const down = power_of_two_float(-grid_), up = power_of_two_float(grid_);
    ints sums{};
    sums += before_;
    sliding_sums<std::uint64_t, lanes> running(cast<words>(sums));
    auto const next = [&](floats x) __attribute__((always_inline)) {
      return cast<ints>(running(cast<words>(to_ints(x))));
    };
    bits largest{}, smallest = ~largest;
    // With a rest, sums must have at least this magnitude: floats are then 4 units apart or more,
    // so that an odd sum is not half way between two.
    constexpr std::uint64_t far = 1 << (format<float>::precision + 1);
    words nearest = ~words{};
    int k = 0;
    for_each_group<2 * lanes>(t, In{}, [&](In const* p) __attribute__((always_inline)) {
      bits const b = float_bits<Tile::skips, 2 * lanes>(p), magnitude = b & 0x7fffffff;
      largest = max_of(largest, magnitude);
      smallest = min_of(smallest, magnitude - 1);  // a zero becomes large
      auto const x = cast<vec<float, 2 * lanes>>(b) * down;
      ints const first = next(half_of<0, float, 2 * lanes>(x));
      sums = next(half_of<1, float, 2 * lanes>(x));
      if constexpr (Rest)
        nearest = min_of(nearest, min_of(cast<words>(first) + far, cast<words>(sums) + far));
      auto const y0 = finish(rounded(first) * up), y1 = finish(rounded(sums) * up);
      TALLY_CLAIM(note(k, first, ints{}, rounded(first) * up));
      TALLY_CLAIM(note(k + lanes, sums, ints{}, rounded(sums) * up));
      out.put(k, y0, t.count - k);
      out.put(k + lanes, y1, t.count - k - lanes);
      k += 2 * lanes;
    });
    e = exponent_range_of_lanes<In>(largest, smallest);
    constexpr auto most = std::int64_t(1) << range;
    if (!e.finite || before_ > most || before_ < -most) return false;
    if (!e.zero && (e.lowest < grid_ + Rest || e.top + tile_bits > grid_ + range)) return false;
    if (Rest && any(words(nearest < 2 * far))) return false;
    before_ = sums[lanes - 1];
    return true;
  }

  static float power_of_two_float(int e) { return float(power_of_two(e)); }
  static TALLY_CPU_FN ints to_ints([[maybe_unused]] floats x) {
    ints wide{};
#ifdef TALLY_NAMES_INSTRUCTIONS
    asm("vcvtps2qq %1, %0" : "=v"(wide) : "v"(x));
#endif
    return wide;
  }
  // Rounds to float; but where results are narrower, to odd (Boldo and Melquiond, 2008), so that
  // the second rounding sees what was dropped.
  static TALLY_CPU_FN floats rounded([[maybe_unused]] ints x) {
    floats narrow{};
#ifdef TALLY_NAMES_INSTRUCTIONS
    if constexpr (std::is_same_v<Out, float>) {
      asm("vcvtqq2ps %1, %0" : "=v"(narrow) : "v"(x));
    } else {
      asm("vcvtqq2ps %{rz-sae%}, %1, %0" : "=v"(narrow) : "v"(x));
      auto const inexact = to_ints(narrow) != x;
      narrow =
          cast<floats>(cast<half_bits>(narrow) | (__builtin_convertvector(inexact, half_bits) & 1));
    }
#endif
    return narrow;
  }
  static TALLY_CPU_FN auto finish(floats f) {
    if constexpr (is_one_of<Out, float16>) {
      vec<std::uint16_t, lanes> half{};
#ifdef TALLY_NAMES_INSTRUCTIONS
      asm("vcvtps2ph $0, %1, %0" : "=v"(half) : "v"(f));
#endif
      return half;
    } else {
      return ziv_rounding<Out, lanes>::finish(f);
    }
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
