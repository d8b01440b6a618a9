// SPDX-License-Identifier: Apache-2.0
//
// How a CPU computes Tally's own aggregates: their accumulators and prefixes.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/cpu/accumulator.hpp"
#include "tally/cpu/extrema_accumulator.hpp"
#include "tally/cpu/prefix/exact_prefix.hpp"
#include "tally/cpu/prefix/integer_prefix.hpp"
#include "tally/cpu/prefix/prefix.hpp"
#include "tally/cpu/running_of.hpp"
#include "tally/cpu/sum/moments_accumulator.hpp"
#include "tally/cpu/sum/products_accumulator.hpp"
#include "tally/cpu/tile/tile.hpp"

namespace tally::detail {

// These have all their code for tiles in src/cpu/families/tiles.cpp; but where NaNs are skipped,
// counted_accumulator looks for them itself.
template <class Accumulator, nan_policy Nan>
inline constexpr bool only_calls<compiled_accumulator<Accumulator>, Nan> = true;
template <floating T, class Accumulator, nan_policy Nan>
inline constexpr bool only_calls<widened_accumulator<T, Accumulator>, Nan> = true;
template <floating T, bool Squares>
inline constexpr bool only_calls<counted_accumulator<T, Squares>, propagate> = true;
template <class Accumulator, nan_policy Nan>
inline constexpr int tiles_at_once<compiled_accumulator<Accumulator>, Nan> = 64;
template <floating T, class Accumulator, nan_policy Nan>
inline constexpr int tiles_at_once<widened_accumulator<T, Accumulator>, Nan> = 64;
template <floating T, bool Squares>
inline constexpr int tiles_at_once<counted_accumulator<T, Squares>, propagate> = 64;

// Counts a tile's zeros in integers of an element's size, which may be bytes.
template <element T>
struct zeros_accumulator {
  using state = typename zeros<T>::state;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, state& s) {
    static_assert(Tile::size / lanes < 256);
    bits_of<T> zero[lanes] = {}, dead[lanes] = {};
    for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
      zero[lane] += zeros<T>::is_zero(t[k]);
      dead[lane] += !t.live(k);
    });
    s.count += std::uint64_t(t.count);
    for (auto const n : zero) s.zero += n;
    for (auto const n : dead) s.count -= n;
  }
  void flush(state&) const {}
};

// Sums.
template <floating T, floating R, floating State>
struct accumulator_for<exact_sum<T, R, State>> {
  using type = sum_accumulator<T, State>;
};
template <floating In, floating Out, floating State>
struct accumulator_for<exact_running_sum<In, Out, State>> {
  using type = sum_accumulator<In, State>;
};
template <integer T, integer R>
struct accumulator_for<integer_sum<T, R>> {
  using type = integer_sum_accumulator;
};
template <integer In, integer Out>
struct accumulator_for<integer_running_sum<In, Out>> {
  using type = integer_sum_accumulator;
};
template <element T, bool Squares>
struct accumulator_for<moments<T, Squares>> {
  using type = counted_accumulator<T, Squares>;
};
template <floating T, floating R>
struct accumulator_for<exact_dot<T, R>> {
  using type = products_accumulator<T>;
};
template <integer T, integer R>
struct accumulator_for<integer_dot<T, R>> {
  using type = integer_products_accumulator<T>;
};

// Extrema and counts.
template <element T>
struct accumulator_for<extrema<T>> {
  using type = compiled_accumulator<extrema_accumulator<T>>;
};
template <element T>
struct accumulator_for<extreme_values<T>> {
  using type = compiled_accumulator<extrema_accumulator<T, false>>;
};
template <element T>
struct accumulator_for<zeros<T>> {
  using type = zeros_accumulator<T>;
};

// Two aggregates at once, tile by tile.
template <aggregate A, aggregate B>
struct accumulator_of_both {
  accumulator_type<A> a;
  accumulator_type<B> b;

  explicit accumulator_of_both(both<A, B> const& pair)
      : a(make_accumulator(pair.first)), b(make_accumulator(pair.second)) {}
  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, typename both<A, B>::state& s) {
    a.add(t, s.a);
    b.add(t, s.b);
  }
  void flush(typename both<A, B>::state& s) {
    a.flush(s.a);
    b.flush(s.b);
  }
};
template <aggregate A, aggregate B, nan_policy Nan>
inline constexpr bool only_calls<accumulator_of_both<A, B>, Nan> =
    only_calls<accumulator_type<A>, Nan> && only_calls<accumulator_type<B>, Nan>;
template <aggregate A, aggregate B>
struct accumulator_for<both<A, B>> {
  using type = accumulator_of_both<A, B>;
};
template <class A, class B>
inline constexpr bool all_alike<both<A, B>> = all_alike<A> && all_alike<B>;

// Sums are a part of what moments know, first moments of second ones, and these and the extrema of
// a description.
template <element T>
struct sum_of;
template <floating T>
struct sum_of<T> {
  using type = exact_sum<T>;
};
template <integer T>
struct sum_of<T> {
  using type = integer_sum<T>;
};
template <element T>
using description_parts = both<moments<T, true>, extrema<T>>;
template <element T>
struct within<description_parts<T>> {
  using type = kinds<moments<T, true>, extrema<T>, moments<T, false>, typename sum_of<T>::type>;
};
template <element T>
struct within<moments<T, true>> {
  using type = kinds<moments<T, false>, typename sum_of<T>::type>;
};
template <element T>
struct within<moments<T, false>> {
  using type = kinds<typename sum_of<T>::type>;
};
template <element T>
struct wholes<T> {
  using type = kinds<moments<T, false>, moments<T, true>, description_parts<T>>;
};

// Scans.
template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>> {
  using type = exact_prefix<In, Out, exact_state<State>>;
};
template <integer In, integer Out>
  requires(sizeof(Out) >= 4)
struct prefix_for<integer_running_sum<In, Out>> {
  using type = integer_prefix<In, Out>;
};

}  // namespace tally::detail
