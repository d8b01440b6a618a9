// SPDX-License-Identifier: Apache-2.0
//
// How a GPU finds minima, maxima and where they are: by states that hold no more than one answer
// needs (tally::extrema has what all of them need), which threads pass on in one or two words.
#pragma once

#include "tally/aggregate/extrema.hpp"
#include "tally/device/input/packed.cuh"
#include "tally/device/reduce/agent/agent.cuh"
#include "tally/operators.hpp"
#include "tally/warp/reduce.cuh"
#include "tally/warp/redux.cuh"

namespace tally::device {

// Order keys with two sentinels: a NaN beats every number, "no element" loses to every number. (An
// integer may have the key of "no element".)
template <element T, bool Least>
struct extremum_keys {
  using key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr key greatest = key(bits_of<T>(~bits_of<T>(0)));
  static constexpr key none = Least ? greatest : 0, nan = Least ? 0 : greatest;

  static TALLY_FN key of(T x) { return is_nan(x) ? nan : key(order_key(x)); }
  static TALLY_FN bool better(key a, key b) { return Least ? a < b : a > b; }
  static TALLY_HD T value(key k) {
    if constexpr (floating<T>) {
      if (k == nan) return quiet_nan<T>();
      if (k == none) return infinity<T>(!Least);
    }
    return from_order_key<T>(bits_of<T>(k));
  }
};

// Floats are compared as they are, each by one instruction; only the best of a batch becomes a key.
template <bool Least>
struct float_extremum {
  using keys = extremum_keys<float, Least>;

  // The best of the elements x[k] of which is_there(k).
  template <class Batch, class IsThere>
  static TALLY_FN float of(Batch const& x, IsThere is_there) {
    float const worst = infinity<float>(!Least);
    float best[2] = {worst, worst};
    TALLY_UNROLL
    for (int k = 0; k < x.size; ++k)
      best[k % 2] = extreme_or_nan<Least>(best[k % 2], is_there(k) ? x[k] : worst);
    return extreme_or_nan<Least>(best[0], best[1]);
  }
  template <class Batch, class IsThere>
  static TALLY_FN typename keys::key key_of(Batch const& x, IsThere is_there) {
    bool any = false;
    TALLY_UNROLL
    for (int k = 0; k < x.size; ++k) any = any || is_there(k);
    return any ? keys::of(of(x, is_there)) : keys::none;
  }
};

// Narrow elements are compared by halves of words, two at once; of bytes each half has one above,
// and what is below it decides between equal ones, if at all.
template <narrow T, bool Least, bool SkipsNan>
struct packed_extremum {
  using half =
      std::conditional_t<sizeof(T) == 2, T,
                         std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>>;

  static TALLY_FN unsigned better(unsigned a, unsigned b) {
    return better_halves<half, Least, SkipsNan>(a, b);
  }
  // The best of those of the j-th vector that are there, in halves; NaN stand for none.
  template <class Batch, class IsThere>
  static TALLY_FN unsigned of_vector(Batch const& x, int j, IsThere is_there) {
    constexpr int words = Batch::words / Batch::vectors;
    unsigned best = x.word(j * words);
    if constexpr (sizeof(T) == 1) best = better(best, best << 8);
    TALLY_UNROLL
    for (int i = 1; i < words; ++i) {
      unsigned const word = x.word(j * words + i);
      best = better(best, word);
      if constexpr (sizeof(T) == 1) best = better(best, word << 8);
    }
    return is_there.has_vector(j) ? best : ~0u;
  }
  // The better of both halves.
  static TALLY_FN T value(unsigned halves) {
    unsigned const best = better(halves, halves >> 16 | halves << 16);
    return from_bits<T>(bits_of<T>(sizeof(T) == 1 ? best >> 8 : best));
  }
  template <class Batch, class IsThere>
  static TALLY_FN T of(Batch const& x, IsThere is_there) {
    unsigned best = of_vector(x, 0, is_there);
    TALLY_UNROLL
    for (int j = 1; j < Batch::vectors; ++j) best = better(best, of_vector(x, j, is_there));
    return value(best);
  }
};
template <class T, class Batch>
concept packed = narrow<T> && Batch::in_words;

template <element T, bool Least>
struct single_extremum {
  using keys = extremum_keys<T, Least>;
  using element = T;
  using state = typename keys::key;
  using result = T;
  using better_key = std::conditional_t<Least, smaller, larger>;
  static constexpr bool any_order = true;

  TALLY_FN state identity() const { return keys::none; }
  TALLY_FN state lift(T x, std::uint64_t) const { return keys::of(x); }
  TALLY_FN state combine(state a, state b) const { return better_key{}(a, b); }
  TALLY_HD T lower(state s) const { return keys::value(s); }
  TALLY_HD bool empty(state s) const { return floating<T> && s == keys::none; }

  __device__ state fold_warp(state s) const { return warp::reduce(s, better_key{}); }
  template <class Batch, class Index, class IsThere>
    requires std::is_same_v<T, float>
  TALLY_FN void add(state& s, Batch const& x, Index, IsThere is_there) const {
    s = combine(s, float_extremum<Least>::key_of(x, is_there));
  }
  template <class Batch, class Index, class IsThere>
    requires packed<T, Batch>
  TALLY_FN void add(state& s, Batch const& x, Index, IsThere is_there) const {
    T const best = packed_extremum<T, Least, IsThere::skip_nan>::of(x, is_there);
    if (!IsThere::skip_nan || !is_nan(best)) s = combine(s, keys::of(best));
  }
};

// The least and the greatest value, and what F makes of them.
template <element T, class F>
struct single_extremum_pair {
  using element = T;
  struct state {
    typename extremum_keys<T, true>::key least, greatest;
  };
  using result = typename F::template result<T>;
  static constexpr bool any_order = true;
  single_extremum<T, true> low{};
  single_extremum<T, false> high{};

  TALLY_FN state identity() const { return {low.identity(), high.identity()}; }
  TALLY_FN state lift(T x, std::uint64_t i) const { return {low.lift(x, i), high.lift(x, i)}; }
  TALLY_FN state combine(state const& a, state const& b) const {
    return {low.combine(a.least, b.least), high.combine(a.greatest, b.greatest)};
  }
  TALLY_HD result lower(state const& s) const {
    return F::template of<T>({low.lower(s.least), high.lower(s.greatest)});
  }
  TALLY_HD bool empty(state const& s) const { return low.empty(s.least); }

  template <class Batch, class Index, class IsThere>
    requires(std::is_same_v<T, float> || packed<T, Batch>)
  TALLY_FN void add(state& s, Batch const& x, Index index, IsThere is_there) const {
    low.add(s.least, x, index, is_there), high.add(s.greatest, x, index, is_there);
  }
};

// Where the first of the least or greatest elements is; the zeros are equal, the first NaN wins.
template <element T, bool Least>
struct single_arg_extremum {
  using keys = extremum_keys<T, Least>;
  using key = typename keys::key;
  using element = T;
  struct state {
    key best;
    std::uint64_t at;  // or nowhere: no element yet
  };
  using result = std::int64_t;
  using better_key = std::conditional_t<Least, smaller, larger>;
  static constexpr bool any_order = true;
  static constexpr std::uint64_t nowhere = ~std::uint64_t(0);

  TALLY_FN state identity() const { return {keys::none, nowhere}; }
  TALLY_FN state lift(T x, std::uint64_t i) const { return {merged(x), i}; }
  TALLY_FN state combine(state const& a, state const& b) const {
    bool const first = a.best == b.best ? a.at < b.at : keys::better(a.best, b.best);
    return first ? a : b;
  }
  TALLY_HD std::int64_t lower(state const& s) const { return std::int64_t(s.at); }
  TALLY_HD bool empty(state const& s) const { return s.at == nowhere; }

  // The best key of all lanes, and the least index of those that have it.
  __device__ state fold_warp(state const& s) const {
    key const best = warp::detail::redux_of(s.best, better_key{});
    return {best, warp::detail::redux_of(s.best == best ? s.at : nowhere, smaller{})};
  }

  // Adds many elements at once, whose indices increase and are greater than those before: it looks
  // for an index only where they beat all of those.
  template <class Batch, class Index, class IsThere>
  TALLY_FN void add(state& s, Batch const& x, Index index, IsThere is_there) const {
    if constexpr (packed<T, Batch>) {
      add_packed(s, x, index, is_there);
    } else if constexpr (std::is_same_v<T, float>) {  // compared as they are
      T const best = float_extremum<Least>::of(x, is_there);
      key const all = merged(best);
      if (!keys::better(all, s.best) && !empty(s)) return;
      int const first = all == keys::nan
                            ? first_of<x.size>([&](int k) { return is_there(k) && x[k] != x[k]; })
                            : first_of<x.size>([&](int k) { return is_there(k) && x[k] == best; });
      if (first >= 0) s = {all, index(first)};
    } else {
      key k_th[x.size];
      TALLY_UNROLL
      for (int k = 0; k < x.size; ++k) k_th[k] = is_there(k) ? merged(x[k]) : keys::none;
      key const all = fold<x.size>(keys::none, [&](int k) { return k_th[k]; }, better_key{});
      if (!keys::better(all, s.best) && !empty(s)) return;
      int const first = first_of<x.size>([&](int k) { return is_there(k) && k_th[k] == all; });
      if (first >= 0) s = {all, index(first)};
    }
  }

 private:
  // Looks for the vector first.
  template <class Batch, class Index, class IsThere>
  static TALLY_FN void add_packed(state& s, Batch const& x, Index index, IsThere is_there) {
    using compare = packed_extremum<T, Least, IsThere::skip_nan>;
    unsigned of_vector[Batch::vectors], best = 0;
    TALLY_UNROLL
    for (int j = 0; j < Batch::vectors; ++j) {
      of_vector[j] = compare::of_vector(x, j, is_there);
      best = j > 0 ? compare::better(best, of_vector[j]) : of_vector[0];
    }
    T const value = compare::value(best);
    if (IsThere::skip_nan && is_nan(value)) return;
    key const all = merged(value);
    if (!keys::better(all, s.best) && s.at != nowhere) return;
    int const j = first_of<Batch::vectors>(
        [&](int j) { return merged(compare::value(of_vector[j])) == all; });
    s = {all, index(j * Batch::each + first_equal(x.vector(j), value))};
  }
  template <int Size, class V, class Value, class Op>
  static TALLY_FN V fold(V identity, Value value, Op op) {
    V best[2] = {identity, identity};
    TALLY_UNROLL
    for (int k = 0; k < Size; ++k) best[k % 2] = op(best[k % 2], value(k));
    return op(best[0], best[1]);
  }
  template <int Size, class Is>
  static TALLY_FN int first_of(Is is) {
    int first = -1;
    TALLY_UNROLL
    for (int k = Size - 1; k >= 0; --k)
      if (is(k)) first = k;
    return first;
  }
  static TALLY_FN key merged(T x) {
    if constexpr (floating<T>)
      if (bits_of<T>(to_bits(x) << 1) == 0) x = T{};
    return keys::of(x);
  }
};

template <element T, bool Least>
struct agent_for<detail::extremum<T, Least>> {
  static plain_agent<single_extremum<T, Least>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};
template <element T, bool Least>
struct agent_for<detail::arg_extremum<T, Least>> {
  static plain_agent<single_arg_extremum<T, Least>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};
template <element T, class F>
struct agent_for<detail::of_extremum_values<T, F>> {
  static plain_agent<single_extremum_pair<T, F>> make(auto const&, bool skips_nan) {
    return {skips_nan, {}};
  }
};

}  // namespace tally::device
