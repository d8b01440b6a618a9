// SPDX-License-Identifier: Apache-2.0
//
// sum: integers modulo 2^64, floating point exactly and rounded once.
#pragma once

#include "tally/aggregate/exact_prefix.hpp"
#include "tally/aggregate/exact_state.hpp"
#include "tally/aggregate/integer_prefix.hpp"
#include "tally/aggregate/windows.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally {
namespace detail {

// The type whose exact states hold values of both types.
template <class A, class B>
using wider = std::conditional_t<
    is_one_of<double, A, B>, double,
    std::conditional_t<is_one_of<float16, A> && is_one_of<float16, B>, float16, float>>;

// Adds a tile to an exact state: by the first way that can, the last one always can.
template <class T>
struct exact_accumulator {
  std::uint64_t windows = 0;

  template <class Tile, class State>
  TALLY_FN void add(Tile const& t, State& s) {
    if (add_fast(t, s.finite)) {
      ++windows;
    } else {
      add_slow(t, s);
    }
  }
  template <class State>
  void flush(State&) const {
    count_path(path::sum_window, windows);
  }

 private:
  template <class Tile, class Digits>
  static TALLY_FN bool add_fast(Tile const& t, Digits& into) {
    if constexpr (std::is_same_v<T, double>)
      return add_halves(t, into);
    else
      return add_window(t, into);
  }
  template <class Tile, class State>
  static TALLY_FN void add_slow(Tile const& t, State& s) {
    if constexpr (std::is_same_v<T, double>) {
      auto const e = extent_of(t);
      auto const itself = [](auto x, auto& value) __attribute__((always_inline)) { value[0] = x; };
      if (add_folds<2, 1>(t, e.top, itself, s.finite)) return count_path(path::sum_two_folds);
      if (add_folds<4, 1>(t, e.top, itself, s.finite)) return count_path(path::sum_four_folds);
    } else if constexpr (!std::is_same_v<T, float16>) {
      if (add_bins(t, s.finite)) return count_path(path::sum_bins);
    }
    add_elements(t, s);
  }
  template <class Tile, class State>
  static TALLY_COLD void add_elements(Tile const& t, State& s) {
    for (int k = 0; k < t.count; ++k)
      if (t.live(k)) s.add(t[k]);
    count_path(path::sum_elements);
  }
};

}  // namespace detail

// The exact sum of a floating type T, kept as `exact_state<State>`, rounded to R.
template <floating T, floating R = T, floating State = T>
struct exact_sum {
  using element = T;
  using state = exact_state<State>;
  using result = R;
  using parts = exact_sum<T, T, State>;
  using accumulator = detail::exact_accumulator<T>;
  static constexpr bool any_order = true;
  static constexpr char const* name = "sum";

  state identity() const { return {}; }
  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.add(x);
    return s;
  }
  state combine(state left, state const& right) const {
    left.merge(right);
    return left;
  }
  R lower(state const& s) const { return s.template result<R>(); }
  static void write(byte_writer& out, state const& s) { s.write(out); }
  static state read(byte_reader& in) { return state::read(in); }
};

// The sum of integers, modulo 2^64 and from there to R.
template <integer T, integer R = widest<T>>
struct integer_sum {
  using element = T;
  using state = std::uint64_t;
  using result = R;
  using parts = integer_sum<T>;
  static constexpr bool any_order = true;
  static constexpr char const* name = "sum";

  state identity() const { return 0; }
  TALLY_FN state lift(T x, std::uint64_t) const { return state(x); }
  TALLY_FN state combine(state left, state right) const { return left + right; }
  TALLY_FN R lower(state s) const { return R(s); }
  static void write(byte_writer& out, state s) { out.put(s); }
  static state read(byte_reader& in) { return in.get<state>(); }

  struct accumulator {
    // A tile of 16-bit integers cannot overflow 32 bits.
    using part = std::conditional_t<sizeof(T) <= 2, std::uint32_t, std::uint64_t>;
    template <class Tile>
    TALLY_FN void add(Tile const& t, state& s) {
      part sums[detail::lanes] = {};
      detail::for_each_lane(
          t, [&](int k, int lane) __attribute__((always_inline)) { sums[lane] += part(t[k]); });
      part total = 0;
      for (part const p : sums) total += p;
      s += state(std::conditional_t<std::is_signed_v<T>, std::make_signed_t<part>, part>(total));
    }
    void flush(state&) const {}
  };
};

// Prefix sums. `start` is the state of an initial value.
template <floating In, floating Out, floating State = detail::wider<In, Out>>
struct exact_running_sum : exact_sum<In, Out, State> {
  using parts = exact_running_sum;
  using typename exact_sum<In, Out, State>::state;
  using prefix = detail::exact_prefix<In, Out, state>;
  state start(Out init) const {
    state s;
    s.add(init);
    return s;
  }
};

template <integer In, integer Out>
struct integer_running_sum : integer_sum<In, Out>, detail::with_integer_prefix<In, Out> {
  using parts = integer_running_sum;
  std::uint64_t start(Out init) const { return std::uint64_t(init); }
};

// sum{}: the result has the input's type (floating point), or is int64_t or uint64_t (integers);
// sum{}.as<float>() rounds once to float instead. A scan computes in the output's type.
template <class R = void>
struct basic_sum {
  template <class Other>
  constexpr basic_sum<Other> as() const {
    return {};
  }
  template <element T>
  auto on() const {
    if constexpr (integer<T>)
      return integer_sum<T, std::conditional_t<std::is_void_v<R>, widest<T>, R>>{};
    else
      return exact_sum<T, std::conditional_t<std::is_void_v<R>, T, R>>{};
  }
  template <element In, element Out>
    requires(integer<In> == integer<Out>)
  auto scanning() const {
    if constexpr (integer<In>)
      return integer_running_sum<In, Out>{};
    else
      return exact_running_sum<In, Out>{};
  }
};
using sum = basic_sum<>;

// sum_state{}: the exact sum itself, an exact_state, at the speed of sum{}.
struct sum_state {
  template <floating T>
  struct bound : exact_sum<T> {
    using typename exact_sum<T>::state;
    using result = state;
    state lower(state const& s) const { return s; }
  };
  template <floating T>
  auto on() const {
    return bound<T>{};
  }
};

}  // namespace tally
