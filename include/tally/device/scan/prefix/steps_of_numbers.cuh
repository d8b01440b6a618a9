// SPDX-License-Identifier: Apache-2.0
//
// The steps of the library's aggregates whose states are numbers: of sums and products that are
// rounded, and of running extrema.
#pragma once

#include "tally/cuda/packed.cuh"
#include "tally/device/scan/prefix/prefix.cuh"
#include "tally/exact/order_key.hpp"

namespace tally::device {

// Numbers that a lane has as floats, where they have fewer bits: results are put by pairs.
template <floating T>
struct as_floats {
  static __device__ auto lift(T x) {
    if constexpr (half_word<T>)
      return detail::to_float(x);
    else
      return x;
  }
  template <class Results, class Sum>
  static __device__ void put(Results& out, int k, Sum before, Sum sum) {
    if constexpr (!half_word<T>)
      out.set(k, sum);
    else if (k % 2 == 1)
      out.set_pair(k - 1, halves_of<T>(before, sum));
    else if (k == Results::size - 1)
      out.set(k, half_of<T>(halves_of<T>(sum, 0), 0));
  }
};

// Numbers that are rounded at every step. A NaN stays one, and becomes that of results in the end.
template <class A>
struct rounding_steps : as_floats<typename A::element> {
  using sum = typename A::state;
  using T = typename A::element;

  static __device__ sum none() { return A{}.identity(); }
  static __device__ sum combine(sum earlier, sum later) { return A{}.combine(earlier, later); }
  static __device__ sum state_of(sum s) { return s; }
  template <class Batch>
  static __device__ sum fold(Batch const& x) {
    return fold_in_order<rounding_steps>(x);
  }
  template <class Results, class Batch>
  static __device__ void settle(Results& out, sum last, sum, Batch const&, bool) {
    if (!is_nan(last)) return;
#pragma unroll
    for (int k = 0; k < Results::size; ++k)
      if (is_nan(out[k])) out.set(k, quiet_nan<T>());
  }
};
template <floating T>
struct steps_of<tree_sum<T>> : rounding_steps<tree_sum<T>> {
  using typename rounding_steps<tree_sum<T>>::sum;
  static __device__ T nothing() { return from_bits<T>(format<T>::sign); }
  // No sum that begins with +0 is -0.
  static __device__ sum start(sum before) { return before + 0; }
};
template <floating T>
struct steps_of<tree_product<T>> : rounding_steps<tree_product<T>> {
  using typename rounding_steps<tree_product<T>>::sum;
  static __device__ T nothing() {
    return from_bits<T>(bits_of<T>(bits_of<T>(format<T>::bias) << (format<T>::precision - 1)));
  }
  static __device__ sum start(sum before) { return before; }
};

// Extrema as numbers of which one instruction or two find the better one.
template <element T, bool Least>
struct extreme_integers {
  using wide = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
  using sum = std::conditional_t<sizeof(T) <= 4, wide, T>;

  static __device__ T nothing() { return running_extremum<T, Least>{}.identity(); }
  static __device__ sum lift(T x) { return x; }
  static __device__ sum combine(sum a, sum b) { return (a < b) == Least ? a : b; }
  static __device__ T state_of(sum s) { return T(s); }
  template <class Results>
  static __device__ void put(Results& out, int k, sum, sum s) {
    out.set(k, T(s));
  }
};
// Sums tell that there was a NaN, and not which: it is that of the lowest index.
template <element T>
struct with_first_nan {
  static __device__ T state_behind(T before, T x, bool reverse) {
    return is_nan(x) && (reverse || !is_nan(before)) ? x : before;
  }
  template <class Batch>
  static __device__ T state_behind(T before, Batch const& x, bool reverse) {
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) before = state_behind(before, x[k], reverse);
    return before;
  }
  template <class Results, class Batch>
  static __device__ void settle_nan(Results& out, T before, Batch const& x, bool reverse) {
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      before = state_behind(before, x[k], reverse);
      if (is_nan(before)) out.set(k, before);
    }
  }
};
template <element T, bool Least>
struct extreme_floats : as_floats<T>, with_first_nan<T> {
  using sum = float;

  static __device__ T nothing() { return infinity<T>(!Least); }
  static __device__ sum combine(sum a, sum b) { return extreme_or_nan<Least>(a, b); }
  static __device__ T state_of(sum s) {
    if constexpr (half_word<T>)
      return half_of<T>(halves_of<T>(s, 0), 0);
    else
      return s;
  }
  static __device__ bool is_certain(sum s) { return !is_nan(s); }
};
// Keys that are turned so far that all NaNs are better than numbers.
template <bool Least>
struct extreme_doubles : with_first_nan<double> {
  using sum = std::int64_t;

  static __device__ double nothing() { return infinity<double>(!Least); }
  static __device__ sum lift(double x) { return sum(turned(to_bits(x)) + turn); }
  static __device__ sum combine(sum a, sum b) { return (a < b) == Least ? a : b; }
  static __device__ double state_of(sum s) {
    return from_bits<double>(turned(std::uint64_t(s) - turn));
  }
  template <class Results>
  static __device__ void put(Results& out, int k, sum, sum s) {
    out.set(k, state_of(s));
  }
  static __device__ bool is_certain(sum s) { return Least ? s >= worst : s <= worst; }

 private:
  static constexpr std::uint64_t largest = ~std::uint64_t(0) >> 1,
                                 infinite = format<double>::infinity;
  static constexpr std::uint64_t turn = Least ? largest - infinite : infinite - largest;
  static constexpr sum worst = sum(Least ? largest - 2 * infinite - 1 : 2 * infinite - largest);

  // Signed integers in the order of the numbers; and back.
  static __device__ std::uint64_t turned(std::uint64_t bits) {
    return bits ^ (std::uint64_t(std::int64_t(bits) >> 63) >> 1);
  }
};

template <element T, bool Least>
using extreme_numbers =
    std::conditional_t<integer<T>, extreme_integers<T, Least>,
                       std::conditional_t<std::is_same_v<T, double>, extreme_doubles<Least>,
                                          extreme_floats<T, Least>>>;

template <element T, bool Least>
  requires(!std::is_same_v<T, bool>)
struct steps_of<running_extremum<T, Least>> : extreme_numbers<T, Least> {
  using numbers = extreme_numbers<T, Least>;
  using typename numbers::sum;

  static __device__ sum none() { return numbers::lift(numbers::nothing()); }
  static __device__ sum start(T before) { return numbers::lift(before); }
  template <class Batch>
  static __device__ sum fold(Batch const& x) {
    if constexpr (sizeof(T) == 2 && Batch::size % 2 == 0) {
      std::uint32_t best = x.word(0);
#pragma unroll
      for (int i = 1; i < Batch::words; ++i) best = better_halves<T, Least>(best, x.word(i));
      return numbers::combine(numbers::lift(from_bits<T>(std::uint16_t(best))),
                              numbers::lift(from_bits<T>(std::uint16_t(best >> 16))));
    } else {
      return fold_in_order<numbers>(x);
    }
  }
  template <class Results, class Batch>
  static __device__ void settle(Results& out, sum last, T before, Batch const& x, bool reverse) {
    if constexpr (floating<T>)
      if (!numbers::is_certain(last)) numbers::settle_nan(out, before, x, reverse);
  }
};

}  // namespace tally::device
