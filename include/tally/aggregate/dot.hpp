// SPDX-License-Identifier: Apache-2.0
//
// dot: the sum of the products of pairs, integers modulo 2^64, floating point exactly and rounded
// once (definition/dot.hpp). dot_state: the exact sum.
#pragma once

#include "tally/aggregate/sum.hpp"
#include "tally/aggregate/zipped.hpp"

namespace tally {

template <class R = void>
struct basic_dot;

template <integer T, integer R>
struct integer_dot : integer_sum<T, R> {
  using element = zipped<T, T>;
  using typename integer_sum<T, R>::state;
  using parts = integer_dot<T>;
  static constexpr char const* name = "dot";

  TALLY_FN state lift(element x, std::uint64_t) const { return state(x.first) * state(x.second); }
  using told_by = detail::asked<basic_dot<>>;
};

// dot{}, over zip(a, b) with elements of one type: the result has that type (floating point), or is
// int64_t or uint64_t (integers); dot{}.as<double>() rounds once to double instead. Where NaN is
// skipped, a pair with a NaN on either side is.
template <class R>
struct basic_dot : detail::rounded_to_any<basic_dot> {
  static constexpr char const* name = "dot";
  static constexpr char const* summary = "the exact sum of the products of pairs, rounded once";
  template <class Pair>
    requires std::same_as<Pair, zipped<typename Pair::first_type, typename Pair::first_type>>
  using result = detail::sum_result<typename Pair::first_type, R>;

  template <class Pair>
    requires std::same_as<Pair, zipped<typename Pair::first_type, typename Pair::first_type>>
  auto on() const {
    using T = typename Pair::first_type;
    if constexpr (integer<T>)
      return integer_dot<T, detail::sum_result<T, R>>{};
    else
      return exact_dot<T, detail::sum_result<T, R>>{};
  }
};
using dot = basic_dot<>;

// dot_state{}: the exact sum of the products itself, exact_products, at the speed of dot{}.
struct dot_state {
  static constexpr char const* name = "dot_state";
  static constexpr char const* summary = "the exact sum of the products of pairs itself";
  template <class Pair>
    requires std::same_as<Pair, zipped<typename Pair::first_type, typename Pair::first_type>> &&
                 floating<typename Pair::first_type>
  using result = exact_products<typename Pair::first_type>;

  template <class Pair>
    requires std::same_as<Pair, zipped<typename Pair::first_type, typename Pair::first_type>> &&
             floating<typename Pair::first_type>
  auto on() const {
    return exact_dot_state<typename Pair::first_type>{};
  }
};

}  // namespace tally
