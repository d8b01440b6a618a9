// SPDX-License-Identifier: Apache-2.0
//
// minimum, maximum, min_max, arg_minimum, arg_maximum.
#pragma once

#include <limits>

#include "tally/aggregate/aggregate.hpp"
#include "tally/exact/order_key.hpp"

namespace tally {

struct minimum;
struct maximum;
struct arg_minimum;
struct arg_maximum;
struct min_max;

// The least and the greatest value and where each comes first, in one pass. Values are kept as
// order keys, in which -0.0 is below +0.0; for the positions the two zeros are equal. NaN is
// counted apart.
template <element T>
struct extrema {
  using key = bits_of<T>;
  struct end {
    key value;
    std::int64_t at = -1;  // -1: no value yet
  };
  struct state {
    end least{key(~key(0))}, greatest{key(0)};
    std::int64_t first_nan = -1;  // of those that are not skipped
    std::uint64_t nan = 0;        // of all
  };
  using element = T;
  using result = state;
  using parts = extrema;
  static constexpr bool any_order = true;
  static constexpr char const* name = "extrema";

  TALLY_FN state identity() const { return {}; }
  TALLY_FN bool empty(state const& s) const { return s.least.at < 0 && s.first_nan < 0; }

  TALLY_FN state lift(T x, std::uint64_t i) const {
    state s;
    if (is_nan(x)) {
      s.nan = 1;
      s.first_nan = std::int64_t(i);
    } else {
      s.least = s.greatest = {order_key(x), std::int64_t(i)};
    }
    return s;
  }

  TALLY_FN state combine(state const& a, state const& b) const {
    state s;
    s.least = better<true>(a.least, b.least);
    s.greatest = better<false>(a.greatest, b.greatest);
    // As unsigned numbers, -1 comes last.
    bool const first = std::uint64_t(a.first_nan) < std::uint64_t(b.first_nan);
    s.first_nan = first ? a.first_nan : b.first_nan;
    s.nan = a.nan + b.nan;
    return s;
  }
  TALLY_FN state lower(state const& s) const { return s; }

  // Moves the positions.
  static void shift(state& s, std::int64_t by) {
    for (std::int64_t* at : {&s.least.at, &s.greatest.at, &s.first_nan})
      if (*at >= 0 && __builtin_add_overflow(*at, by, at))
        throw error("state: an index of 2^63 or more");
  }
  static void write(auto& out, state const& s) {
    for (end const* e : {&s.least, &s.greatest}) {
      out.put(e->value);
      out.put(e->at);
    }
    out.put(s.first_nan);
    out.put(s.nan);
  }
  static state read(auto& in) {
    state s;
    for (end* e : {&s.least, &s.greatest}) {
      e->value = in.template get<key>();
      e->at = in.template get<std::int64_t>();
    }
    s.first_nan = in.template get<std::int64_t>();
    s.nan = in.template get<std::uint64_t>();
    if (s.least.at < -1 || s.greatest.at < -1 || s.first_nan < -1)
      throw error("state: an index is negative");
    return s;
  }

  // What is seen of elements of which an end is known, which then stands for the other one, too, or
  // where the first NaN is.
  static end end_at(T x, std::int64_t at) { return {order_key(x), at}; }
  static state nan_at(std::int64_t at) {
    state s;
    s.first_nan = at;
    s.nan = 1;
    return s;
  }
  // Before what a result needs of a state: whether there is nothing, a value or a NaN. put() and
  // get(s) have the rest.
  static void pack_kind(auto& out, state const& s, end const& e, auto&& put_value) {
    bool const nan = s.first_nan >= 0;
    out.put(std::uint8_t(nan ? 2 : e.at >= 0));
    if (!nan && e.at >= 0) put_value();
  }
  static state unpack_kind(auto& in, auto&& get_value, auto&& get_nan) {
    auto const kind = in.template get<std::uint8_t>();
    if (kind > (floating<T> ? 2 : 1)) throw error("state: neither a value, a NaN nor nothing");
    return kind == 0 ? state{} : kind == 1 ? get_value() : get_nan();
  }
  static T unpack_value(auto& in) {
    T const x = in.template get<T>();
    if (is_nan(x)) throw error("state: a NaN where a number is to be");
    return x;
  }
  static std::int64_t unpack_index(auto& in) {
    auto const at = in.template get<std::int64_t>();
    if (at < 0) throw error("state: an index is negative");
    return at;
  }

  // For positions: -0.0 as +0.0.
  static TALLY_FN key zeros_merged(key value) {
    if constexpr (floating<T>)
      return value == order_key(from_bits<T>(format<T>::sign)) ? order_key(T{}) : value;
    return value;
  }

  // The more extreme value; its position unless the other's is as extreme and comes first.
  template <bool Least>
  static TALLY_FN end better(end const& a, end const& b) {
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    key const x = zeros_merged(a.value), y = zeros_merged(b.value);
    end out;
    out.value = (a.value < b.value) == Least ? a.value : b.value;
    out.at = (x == y ? a.at < b.at : (x < y) == Least) ? a.at : b.at;
    return out;
  }
};

namespace detail {

// The same without the positions: some index stands for any.
template <element T>
struct extreme_values : extrema<T> {
  using parts = extreme_values;
};

}  // namespace detail

// What a scan of minima or maxima keeps: the element itself, so that its bits come through. The
// first NaN stays.
template <element T, bool Least>
struct running_extremum {
  using element = T;
  using state = T;
  using result = T;
  static constexpr bool any_order = true;
  static constexpr char const* name = Least ? "minimum" : "maximum";

  TALLY_HD T identity() const {
    if constexpr (floating<T>)
      return infinity<T>(!Least);
    else
      return end;
  }
  TALLY_FN T lift(T x, std::uint64_t) const { return x; }
  TALLY_FN T combine(T left, T right) const {
    if (is_nan(left)) return left;
    if (is_nan(right)) return right;
    bool const keep =
        Least ? order_key(left) <= order_key(right) : order_key(left) >= order_key(right);
    return keep ? left : right;
  }
  TALLY_FN T lower(T x) const { return x; }
  T start(T init) const { return init; }
  static void pack(auto& out, T x) { out.put(x); }
  static T unpack(auto& in) { return in.template get<T>(); }

 private:
  static constexpr T end =
      Least ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();  // of integers
};

namespace detail {

template <element T, bool Least>
struct extremum : extrema<T> {
  using parts = extrema<T>;
  using parts_at_once = extreme_values<T>;
  using result = T;
  static constexpr bool rounds = false;
  static constexpr char const* name = Least ? "minimum" : "maximum";
  TALLY_HD T lower(typename parts::state const& s) const {
    if constexpr (floating<T>) {
      if (s.first_nan >= 0) return quiet_nan<T>();
      if (s.least.at < 0) return infinity<T>(!Least);
    }
    return from_order_key<T>(Least ? s.least.value : s.greatest.value);
  }

  using state = typename parts::state;
  using told_by = asked<std::conditional_t<Least, minimum, maximum>>;
  using told_in_rows = asked<std::conditional_t<Least, minimum, maximum>, arg_minimum>;
  static state told(T x, std::uint64_t) {
    if (is_nan(x)) return parts::nan_at(0);
    state s;
    s.least = s.greatest = parts::end_at(x, 0);
    return s;
  }
  static state told(T x, std::int64_t at, std::uint64_t n) { return at < 0 ? state{} : told(x, n); }
  static void pack(auto& out, state const& s) {
    auto const& e = Least ? s.least : s.greatest;
    parts::pack_kind(out, s, e, [&] { out.put(from_order_key<T>(e.value)); });
  }
  static state unpack(auto& in) {
    return parts::unpack_kind(
        in, [&] { return told(parts::unpack_value(in), 1); }, [] { return parts::nan_at(0); });
  }
};

template <element T, bool Least>
struct arg_extremum : extrema<T> {
  using parts = extrema<T>;
  using result = std::int64_t;
  static constexpr bool rounds = false;
  static constexpr char const* name = Least ? "arg_minimum" : "arg_maximum";
  TALLY_HD std::int64_t lower(typename parts::state const& s) const {
    return s.first_nan >= 0 ? s.first_nan : Least ? s.least.at : s.greatest.at;
  }

  using state = typename parts::state;
  using told_by =
      std::conditional_t<Least, asked<arg_minimum, minimum>, asked<arg_maximum, maximum>>;
  static state told(std::int64_t at, T x, std::uint64_t) {
    if (at < 0) return {};
    if (is_nan(x)) return parts::nan_at(at);
    state s;
    s.least = s.greatest = parts::end_at(x, at);
    return s;
  }
  static void pack(auto& out, state const& s) {
    auto const& e = Least ? s.least : s.greatest;
    parts::pack_kind(out, s, e, [&] {
      out.put(from_order_key<T>(parts::zeros_merged(e.value)));
      out.put(e.at);
    });
    if (s.first_nan >= 0) out.put(s.first_nan);
  }
  static state unpack(auto& in) {
    return parts::unpack_kind(
        in,
        [&] {
          T const x = parts::unpack_value(in);
          return told(parts::unpack_index(in), x, 1);
        },
        [&] { return parts::nan_at(parts::unpack_index(in)); });
  }
};

template <element T>
struct extremum_values {
  T minimum, maximum;
  // Calls f(name, value) with each of them.
  void each(auto&& f) const {
    f("minimum", minimum);
    f("maximum", maximum);
  }
  bool operator==(extremum_values const&) const = default;
};
// What F makes of the least and the greatest value.
template <element T, class F>
struct of_extremum_values : extrema<T> {
  using parts = extrema<T>;
  using parts_at_once = extreme_values<T>;
  using result = typename F::template result<T>;
  static constexpr char const* name = F::name;
  TALLY_HD result lower(typename parts::state const& s) const {
    return F::template of<T>({extremum<T, true>{}.lower(s), extremum<T, false>{}.lower(s)});
  }

  using state = typename parts::state;
  using told_by = asked<min_max>;
  using told_in_rows = asked<min_max, arg_minimum>;
  static state told(extremum_values<T> const& ends, std::uint64_t) {
    if (is_nan(ends.minimum)) return parts::nan_at(0);
    state s;
    s.least = parts::end_at(ends.minimum, 0), s.greatest = parts::end_at(ends.maximum, 0);
    return s;
  }
  static state told(extremum_values<T> const& ends, std::int64_t at, std::uint64_t n) {
    return at < 0 ? state{} : told(ends, n);
  }
  static void pack(auto& out, state const& s) {
    parts::pack_kind(out, s, s.least, [&] {
      for (auto const* e : {&s.least, &s.greatest}) out.put(from_order_key<T>(e->value));
    });
  }
  static state unpack(auto& in) {
    return parts::unpack_kind(
        in,
        [&] {
          T const least = parts::unpack_value(in);
          return told({least, parts::unpack_value(in)}, 1);
        },
        [] { return parts::nan_at(0); });
  }
};

template <bool Least>
struct extremum_family {
  static constexpr char const* name = Least ? "minimum" : "maximum";
  static constexpr char const* summary = Least ? "the least element" : "the greatest element";
  template <element T>
  using result = T;

  template <element T>
  auto on() const {
    return extremum<T, Least>{};
  }
  template <element In, element Out>
    requires std::is_same_v<In, Out>
  auto scanning() const {
    return running_extremum<In, Least>{};
  }
};

template <bool Least>
struct arg_extremum_family {
  static constexpr char const* name = Least ? "arg_minimum" : "arg_maximum";
  static constexpr char const* summary =
      Least ? "the index of the first least element" : "the index of the first greatest element";
  template <element T>
  using result = std::int64_t;

  template <element T>
  auto on() const {
    return arg_extremum<T, Least>{};
  }
};

}  // namespace detail

// minimum{}, maximum{}: NaN if any element is. -0.0 is less than +0.0.
struct minimum : detail::extremum_family<true> {};
struct maximum : detail::extremum_family<false> {};

// arg_minimum{}, arg_maximum{}: the index of the first least or greatest element, or of the first
// NaN. The zeros are equal.
struct arg_minimum : detail::arg_extremum_family<true> {};
struct arg_maximum : detail::arg_extremum_family<false> {};

// min_max{}: both values.
struct min_max {
  static constexpr char const* name = "min_max";
  static constexpr char const* summary = "the least and the greatest element";
  template <element T>
  using result = detail::extremum_values<T>;
  template <element T>
  using values = detail::extremum_values<T>;
  template <element T>
  auto on() const {
    return detail::of_extremum_values<T, min_max>{};
  }
  template <element T>
  static TALLY_HD values<T> of(values<T> ends) {
    return ends;
  }
};

}  // namespace tally
