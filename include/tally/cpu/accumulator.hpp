// SPDX-License-Identifier: Apache-2.0
//
// How a CPU adds elements to the state of an aggregate that takes any order: by an accumulator, a
// tile at a time.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/cpu/tile/tile.hpp"

namespace tally::detail {

// An accumulator for A. add(t, s) adds a tile: its elements are then in the state or still in the
// accumulator. flush(s) moves what is still there to the state. It is made from the aggregate, or
// from nothing.
template <class Accumulator, class A>
concept accumulator_of = requires(Accumulator acc, tile<typename A::element, propagate, 16> const t,
                                  typename A::state s) {
  acc.add(t, s);
  acc.flush(s);
} && (requires(A const a) { Accumulator{a}; } || std::default_initializable<Accumulator>);

// Adds one element after the other.
template <aggregate A>
struct accumulator_in_order {
  A a;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, typename A::state& s) {
    for (int k = 0; k < t.count; ++k)
      if (t.live(k)) s = a.combine(s, a.lift(t[k], t.index(k)));
  }
  void flush(typename A::state&) const {}
};

// The accumulator of aggregates without one of their own. A small state is kept for every lane of
// some vectors, so that combine() vectorises.
template <aggregate A>
struct plain_accumulator {
  using state = typename A::state;
  A a;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, state& s) {
    if (sizeof(state) > 8 || t.count < lanes) return accumulator_in_order<A>{a}.add(t, s);
    state in[lanes];
    for (state& i : in) i = a.identity();
    for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
      if (t.live(k)) in[lane] = a.combine(in[lane], a.lift(t[k], t.index(k)));
    });
    for (state const& i : in) s = a.combine(s, i);
  }
  void flush(state&) const {}
};

// Whether all that an accumulator does with a tile is compiled in the library.
template <class Accumulator, nan_policy Nan>
inline constexpr bool only_calls = false;

// How many tiles an accumulator may be given at once, as one with the elements of all: several
// where each call is one of the library's.
template <class Accumulator, nan_policy Nan>
inline constexpr int tiles_at_once = 1;

// The accumulator of A; implementations.hpp has those of Tally's own aggregates.
template <aggregate A>
struct accumulator_for {
  using type = plain_accumulator<A>;
};
template <aggregate A>
using accumulator_type = typename accumulator_for<A>::type;
// The accumulator for scans, which keep the order of elements even where a reduction need not.
template <aggregate A>
using scan_accumulator_type =
    std::conditional_t<std::is_same_v<accumulator_type<A>, plain_accumulator<A>>,
                       accumulator_in_order<A>, accumulator_type<A>>;

template <aggregate A, class Accumulator = accumulator_type<A>>
Accumulator make_accumulator(A const& a) {
  static_assert(accumulator_of<Accumulator, A>);
  if constexpr (requires { Accumulator{a}; })
    return Accumulator{a};
  else
    return Accumulator{};
}

}  // namespace tally::detail
