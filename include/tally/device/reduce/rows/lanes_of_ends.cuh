// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for the least and the greatest element and where the first of each is: they keep
// values, which take fewer instructions to compare than order keys.
#pragma once

#include <limits>

#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/rows/lanes.cuh"

namespace tally::device {

template <element T>
struct single_ends;
template <element T>
struct ends_agent;

// A value that takes no more instructions to compare than T: floats have all values of narrower
// ones.
template <element T>
TALLY_FN auto comparable(T x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else if constexpr (floating<T>)
    return convert<float>(x);
  else if constexpr (sizeof(T) < sizeof(int))
    return int(x);
  else
    return x;
}

// -0.0 is the lesser zero, but zeros are equal where the first is looked for; a NaN is both ends,
// and the first one counts. Rows of 2^32 elements and more are in doubt.
template <element T>
struct lanes_of_ends {
  using ends = single_ends<T>;
  using element = T;
  using result = typename ends::result;
  using value = decltype(comparable(T{}));
  static constexpr bool is_certain = false;
  static constexpr std::uint32_t nowhere = ~std::uint32_t(0);
  struct sum {
    value least, greatest;  // nothing() where there is no element
    std::uint32_t least_at, greatest_at, nan_at;
  };

  bool skips_nan;
  ends a;

  __device__ sum none() const { return {nothing(), nothing(), nowhere, nowhere, nowhere}; }
  __device__ void add(sum& s, element x, std::uint64_t index) const {
    auto const at = std::uint32_t(index);
    if constexpr (floating<T>)
      if (is_nan(x)) {
        if (!skips_nan && at < s.nan_at) s.nan_at = at;
        return;
      }
    value const y = comparable(x);
    s = combine(s, {y, y, at, at, nowhere});
  }
  // The indices are greater than those before.
  __device__ void add_next(sum& s, element x, std::uint64_t index) const {
    if constexpr (floating<T>)
      if (is_nan(x)) return add(s, x, index);
    put(s, comparable(x), std::uint32_t(index));
  }
  template <class Batch>
  __device__ void add_vector(sum& s, Batch const& x, std::uint64_t first) const {
    auto const at = std::uint32_t(first);
    if constexpr (packed<T, Batch> || std::is_same_v<T, float>) {
      T const least = best_of<true>(x), greatest = best_of<false>(x);
      if (is_nan(least)) return add_each(s, x, first);
      put_least(s, comparable(least), [&] { return at + place_of(least, x); });
      put_greatest(s, comparable(greatest), [&] { return at + place_of(greatest, x); });
    } else {
      bool any_nan = false;
      if constexpr (floating<T>)
#pragma unroll
        for (int k = 0; k < Batch::size; ++k) any_nan = any_nan || is_nan(x[k]);
      if (any_nan) return add_each(s, x, first);
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) put(s, comparable(x[k]), at + k);
    }
  }
  __device__ sum combine(sum const& s, sum const& t) const {
    sum both = s;
    if (t.least_at != nowhere) {
      bool const empty = s.least_at == nowhere;
      bool const below = t.least < s.least || (t.least == s.least && t.least_at < s.least_at);
      both.least_at = empty || below ? t.least_at : s.least_at;
      both.least = empty ? t.least : lesser(s.least, t.least);
      both.greatest = empty ? t.greatest : greater(s.greatest, t.greatest);
      bool const above =
          t.greatest > s.greatest || (t.greatest == s.greatest && t.greatest_at < s.greatest_at);
      both.greatest_at = empty || above ? t.greatest_at : s.greatest_at;
    }
    if (t.nan_at < s.nan_at) both.nan_at = t.nan_at;
    return both;
  }
  __device__ bool finish(sum const& s, std::uint64_t n, result& out) const {
    if (n >> 32) return false;
    if (s.nan_at != nowhere)
      if constexpr (floating<T>) {
        out = {quiet_nan<T>(), quiet_nan<T>(), s.nan_at, s.nan_at};
        return true;
      }
    if (s.least_at == nowhere)
      out = a.lower(a.identity());
    else
      out = {narrowed(s.least), narrowed(s.greatest), s.least_at, s.greatest_at};
    return true;
  }

 private:
  // Of a vector with a NaN, which is rare: in little code, and not in registers.
  template <class Batch>
  __device__ void add_each(sum& s, Batch const& x, std::uint64_t first) const {
    array_of<T, Batch> const elements(x);
#pragma unroll 1
    for (int k = 0; k < Batch::size; ++k) add(s, elements.value[k], first + k);
  }
  static __device__ void put(sum& s, value y, std::uint32_t at) {
    put_least(s, y, [=] { return at; });
    put_greatest(s, y, [=] { return at; });
  }
  // at() is called only where y is better than all before.
  template <class At>
  static __device__ void put_least(sum& s, value y, At at) {
    bool const moves = is_first(s.least_at, s.least) || y < s.least;
    if (moves) s.least_at = at();
    s.least = moves ? y : lesser(s.least, y);
  }
  template <class At>
  static __device__ void put_greatest(sum& s, value y, At at) {
    bool const moves = is_first(s.greatest_at, s.greatest) || y > s.greatest;
    if (moves) s.greatest_at = at();
    s.greatest = moves ? y : greater(s.greatest, y);
  }
  // Whether there is no element yet.
  static __device__ bool is_first([[maybe_unused]] std::uint32_t at,
                                  [[maybe_unused]] value const& best) {
    if constexpr (floating<value>)
      return best != best;  // which one instruction tells, with the comparison beside it
    else
      return at == nowhere;
  }
  static __device__ value nothing() {
    if constexpr (floating<value>)
      return quiet_nan<value>();
    else
      return {};
  }
  // The best of a vector, a NaN if it has one; and where its first equal is.
  template <bool Least, class Batch>
  static __device__ T best_of(Batch const& x) {
    if constexpr (packed<T, Batch>)
      return packed_extremum<T, Least, false>::of(x, all_elements{});
    else
      return float_extremum<Least>::of(x, all_elements{});
  }
  template <class Batch>
  static __device__ int place_of(T best, Batch const& x) {
    if constexpr (packed<T, Batch>) {
      return first_equal(x, best);
    } else {
      int first = 0;
#pragma unroll
      for (int k = Batch::size - 1; k > 0; --k)
        if (x[k] == best) first = k;
      return x[0] == best ? 0 : first;
    }
  }
  static __device__ T narrowed(value x) {
    if constexpr (floating<T> && !std::is_same_v<value, T>)
      return convert<T>(x);
    else
      return T(x);
  }
  // Of equal ones, which may be zeros, that with the sign; the other one.
  static __device__ value lesser(value x, value y) {
    if constexpr (std::is_same_v<value, double>)
      return x == y ? from_bits<double>(to_bits(x) | to_bits(y)) : x < y ? x : y;
    else
      return min(x, y);
  }
  static __device__ value greater(value x, value y) {
    if constexpr (std::is_same_v<value, double>)
      return x == y ? from_bits<double>(to_bits(x) & to_bits(y)) : x < y ? y : x;
    else
      return max(x, y);
  }
};
template <element T>
struct lanes_for<ends_agent<T>> {
  static lanes_of_ends<T> make(ends_agent<T> const& agent) { return {agent.skips_nan, agent.a}; }
};

}  // namespace tally::device
