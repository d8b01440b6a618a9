// SPDX-License-Identifier: Apache-2.0
//
// count_nonzero, any_of, all_of. A NaN is not zero.
#pragma once

#include "tally/aggregate/aggregate.hpp"

namespace tally {

// How many elements there are, and how many of them are zero, +0.0 or -0.0.
template <element T>
struct zeros {
  struct state {
    std::uint64_t count = 0, zero = 0;
  };
  using element = T;
  using result = state;
  static constexpr bool any_order = true;
  static constexpr char const* name = "zeros";

  TALLY_FN state identity() const { return {}; }
  static TALLY_FN bool is_zero(T x) {
    constexpr int sign = floating<T> ? 1 : 0;
    return bits_of<T>(to_bits(x) << sign) == 0;
  }
  TALLY_FN state lift(T x, std::uint64_t) const { return {1, is_zero(x)}; }
  TALLY_FN state combine(state const& a, state const& b) const {
    return {a.count + b.count, a.zero + b.zero};
  }
  TALLY_FN state lower(state const& s) const { return s; }
  static void write(auto& out, state const& s) {
    out.put(s.count);
    out.put(s.zero);
  }
  static state read(auto& in) {
    auto const count = in.template get<std::uint64_t>();
    return {count, in.template get<std::uint64_t>()};
  }
};

namespace detail {

template <class Lower>
struct logical;

template <element T, class Lower>
struct zeros_seen_as : zeros<T> {
  using parts = zeros<T>;
  using result = typename Lower::result;
  static constexpr char const* name = Lower::name;
  TALLY_FN result lower(typename parts::state const& s) const { return Lower{}(s); }

  using told_by = asked<logical<Lower>>;
  static typename parts::state told(result r, std::uint64_t) {
    auto const [count, zero] = Lower::told(r);
    return {count, zero};
  }
  static void pack(auto& out, typename parts::state const& s) { out.put(Lower{}(s)); }
  static typename parts::state unpack(auto& in) { return told(in.template get<result>(), 0); }
};

// Some elements of which that is true, and how many of them are zero.
struct zeros_of_some {
  std::uint64_t count, zero;
};

template <class Lower>
struct logical {
  static constexpr char const* name = Lower::name;
  static constexpr char const* summary = Lower::summary;
  template <element T>
  using result = typename Lower::result;

  template <element T>
  auto on() const {
    return zeros_seen_as<T, Lower>{};
  }
};

struct nonzero {
  static constexpr char const* name = "count_nonzero";
  static constexpr char const* summary = "how many elements are not zero";
  using result = std::uint64_t;
  TALLY_FN result operator()(auto const& s) const { return s.count - s.zero; }
  static zeros_of_some told(result r) { return {r, 0}; }
};
struct any_nonzero {
  static constexpr char const* name = "any_of";
  static constexpr char const* summary = "whether an element is not zero";
  using result = bool;
  TALLY_FN result operator()(auto const& s) const { return s.count > s.zero; }
  static zeros_of_some told(result r) { return {r, 0}; }
};
struct all_nonzero {
  static constexpr char const* name = "all_of";
  static constexpr char const* summary = "whether no element is zero";
  using result = bool;
  TALLY_FN result operator()(auto const& s) const { return s.zero == 0; }
  static zeros_of_some told(result r) { return {!r, !r}; }
};

}  // namespace detail

// How many elements are not zero; whether one is not (of nothing: false); whether none is zero (of
// nothing: true).
using count_nonzero = detail::logical<detail::nonzero>;
using any_of = detail::logical<detail::any_nonzero>;
using all_of = detail::logical<detail::all_nonzero>;

}  // namespace tally
