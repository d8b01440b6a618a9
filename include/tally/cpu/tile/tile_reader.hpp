// SPDX-License-Identifier: Apache-2.0
//
// A tile of floating-point elements as vectors of doubles, and where its elements lie.
#pragma once

#include <limits>

#include "tally/cpu/tile/exponent_range.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// What is made of elements that are not finite. `kept`: they remain, and the tile is not finite;
// but where NaN is skipped, NaNs become zeros. `counted`: all become zeros.
enum class specials : bool { kept, counted };

// Reads a tile once, `group` elements at a time.
template <class Tile, specials Specials = specials::kept>
class tile_reader {
  using T = typename Tile::element;
  static constexpr bool wide = sizeof(T) == 8, narrow = sizeof(T) == 2;
  static constexpr int lanes = Tile::vector_bytes / 8;

 public:
  using doubles = vec<double, lanes>;
  using floats = vec<float, 2 * lanes>;
  static constexpr int float_vectors = narrow ? 4 : 1, vectors = 2;

  // Both call f(x) for all elements and some zeros, where x is an array: of `float_vectors` vectors
  // of floats, or of `vectors` vectors of doubles.
  template <class F>
  TALLY_CPU_FN void for_each_float(Tile const& t, F&& f) {
    for_each_group<group>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      floats x[float_vectors];
      read(p, x);
      f(x);
    });
  }
  template <class F>
  TALLY_CPU_FN void for_each(Tile const& t, F&& f) {
    if constexpr (wide) {
      for_each_group<group>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
        doubles x[vectors];
        TALLY_CPU_UNROLL
        for (int i = 0; i < vectors; ++i) x[i] = cast<doubles>(sift(load<bits>(p + i * lanes)));
        f(x);
      });
    } else if constexpr (!narrow && !Tile::skips && Specials == specials::kept) {
      for_each_group<group>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
        sift(load<bits>(p));
        doubles x[2] = {load_doubles<lanes>(p), load_doubles<lanes>(p + lanes)};
        f(x);
      });
    } else {
      for_each_float(t, [&](auto const& f32) __attribute__((always_inline)) {
        TALLY_CPU_UNROLL
        for (int i = 0; i < float_vectors; ++i) {
          alignas(sizeof(floats)) float spread[2 * lanes];
          __builtin_memcpy(spread, &f32[i], sizeof spread);
          doubles x[] = {load_doubles<lanes>(spread), load_doubles<lanes>(spread + lanes)};
          f(x);
        }
      });
    }
  }

  // The range of all elements that were read. `sum` is their sum.
  TALLY_CPU_FN exponent_range found(double sum) const {
    if constexpr (by_sum) {
      return {16, -24, false, sum - sum == 0};
    } else {
      auto const most = greatest_lane(upper(largest_));
      auto const least = least_lane(upper(smallest_));
      return exponent_range_of<T>(bits_of<T>(most), bits_of<T>(least));
    }
  }
  TALLY_CPU_FN bool had_nan() const { return Specials == specials::counted && any(special_); }
  // Counts the NaNs that became zeros; false if there were infinities, too.
  template <class State>
  TALLY_CPU_FN bool count(State& s) const {
    if constexpr (Specials == specials::kept) return true;
    if (any(infinite_)) return false;
    auto const nans = fold_lanes(special_, [](auto a, auto b) { return decltype(a)(a + b); });
    s.nan += Tile::skips ? 0 : nans;
    return true;
  }

 private:
  static constexpr int group = 2 * float_vectors * lanes;
  static constexpr int loaded = (wide ? 1 : is_one_of<T, bfloat16> ? 4 : 2) * lanes;
  static constexpr auto magnitude_bits = bits_of<T>(~format<T>::sign);
  static constexpr auto infinite_bits = bits_of<T>(format<T>::infinity);
  // What is compared: of doubles the upper halves, which have the exponent. Instruction sets
  // compare 32 bits better than 64.
  using ordered = std::conditional_t<wide, std::uint32_t, bits_of<T>>;
  using bits = vec<bits_of<T>, loaded>;
  using magnitudes = vec<ordered, (wide ? 2 : 1) * loaded>;
  // A sum tells whether halves are finite, and they always lie close enough together.
  static constexpr bool by_sum = is_one_of<T, float16> && converts_float16<2 * lanes>;

  magnitudes largest_{}, smallest_ = largest_ + std::numeric_limits<ordered>::max();
  bits special_{}, infinite_{};

  static TALLY_CPU_FN auto upper(magnitudes m) {
    if constexpr (wide)
      return cast<bits>(m) | 0xffffffff;
    else
      return m;
  }

  // Notes where elements lie, and makes zeros of some.
  TALLY_CPU_FN bits sift(bits b) {
    if constexpr (Specials == specials::counted) {
      bits const magnitude = b & magnitude_bits;
      auto const is_special = bits(magnitude >= infinite_bits);  // 0 or -1
      special_ -= is_special;
      infinite_ |= bits(magnitude == infinite_bits);
      b &= ~is_special;
    } else if constexpr (Tile::skips) {
      b &= bits((b & magnitude_bits) <= infinite_bits);
    }
    if constexpr (!by_sum) {
      bits const magnitude = b & magnitude_bits;
      largest_ = max_of(largest_, cast<magnitudes>(magnitude));
      // A zero becomes the largest of all.
      smallest_ = min_of(smallest_, cast<magnitudes>(bits(magnitude - 1)));
    }
    return b;
  }

  TALLY_CPU_FN void read(T const* p, floats (&x)[float_vectors]) {
    if constexpr (is_one_of<T, bfloat16>) {
      using words = vec<std::uint32_t, 2 * lanes>;
      TALLY_CPU_UNROLL
      for (int i = 0; i < float_vectors; i += 2, p += loaded) {
        auto const b = cast<words>(sift(load<bits>(p)));
        x[i] = cast<floats>(b << 16);
        x[i + 1] = cast<floats>(b & 0xffff0000);
      }
    } else if constexpr (narrow) {
      TALLY_CPU_UNROLL
      for (int i = 0; i < float_vectors; ++i, p += loaded)
        x[i] = float16_as_floats<loaded>(sift(load<bits>(p)));
    } else {
      x[0] = cast<floats>(sift(load<bits>(p)));
    }
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
