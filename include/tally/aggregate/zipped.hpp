// SPDX-License-Identifier: Apache-2.0
//
// Elements in pairs, and where consecutive elements lie.
#pragma once

#include "tally/exact/float_format.hpp"

namespace tally {

// Whether a T can be NaN.
template <class T>
inline constexpr bool has_nan = floating<T>;

namespace detail {

template <class T>
struct run {
  using type = T const*;
};

}  // namespace detail

// Where consecutive elements lie: r[k], and r + k.
template <class T>
using run_of = typename detail::run<T>::type;

template <class A, class B>
struct zipped {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
};

// A pair with a NaN is absent as a whole where NaN is.
template <class A, class B>
inline constexpr bool has_nan<zipped<A, B>> = has_nan<A> || has_nan<B>;
template <class A, class B>
  requires has_nan<zipped<A, B>>
TALLY_FN bool is_nan(zipped<A, B> const& x) {
  bool nan = false;
  if constexpr (has_nan<A>) nan = is_nan(x.first);
  if constexpr (has_nan<B>) nan = nan | is_nan(x.second);
  return nan;
}

template <floating A, floating B>
TALLY_FN bool is_finite(zipped<A, B> const& x) {
  return is_finite(x.first) && is_finite(x.second);
}

namespace detail {

template <class A, class B>
struct counts<zipped<A, B>> {
  using as = zipped<counts_as<A>, counts_as<B>>;
};

// An element as what it counts as.
struct as_counted {
  template <class T>
  TALLY_FN counts_as<T> operator()(T const& x) const {
    return counts_as<T>(x);
  }
  template <class A, class B>
  TALLY_FN counts_as<zipped<A, B>> operator()(zipped<A, B> const& x) const {
    return {(*this)(x.first), (*this)(x.second)};
  }
};

// Of pairs whose halves lie apart.
template <class A, class B>
struct zipped_run {
  run_of<A> first;
  run_of<B> second;
  TALLY_FN zipped<A, B> operator[](std::int64_t k) const { return {first[k], second[k]}; }
  TALLY_FN zipped_run operator+(std::int64_t k) const { return {first + k, second + k}; }
};
template <class A, class B>
struct run<zipped<A, B>> {
  using type = zipped_run<A, B>;
};

}  // namespace detail
}  // namespace tally
