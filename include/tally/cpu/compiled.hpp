// SPDX-License-Identifier: Apache-2.0
//
// What the library holds compiled: users pay neither the compile time nor, with flags of their own,
// for wrong bits. The instances themselves are in src/cpu.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/cpu/reduce.hpp"
#include "tally/cpu/scan.hpp"

namespace tally::detail {

template <floating T>
inline constexpr bool compiled_reduce<exact_sum<T, T, T>> = true;
template <integer T>
inline constexpr bool compiled_reduce<integer_sum<T, widest<T>>> = true;
template <floating T>
inline constexpr bool compiled_reduce<exact_dot<T, T>> = true;
template <integer T>
inline constexpr bool compiled_reduce<integer_dot<T, widest<T>>> = true;
template <integer T, class Op>
inline constexpr bool compiled_reduce<bitwise<T, Op>> = true;
template <floating T>
inline constexpr bool compiled_reduce<tree_sum<T>> = true;
template <element T, bool Squares>
inline constexpr bool compiled_reduce<moments<T, Squares>> = true;
template <element T>
inline constexpr bool compiled_reduce<extrema<T>> = true;
template <element T>
inline constexpr bool compiled_reduce<both<moments<T, true>, extrema<T>>> = true;

// The result types for which running sums are compiled: the input's own, the widest one, and float
// for elements of 16 bits.
template <class In, class Out>
inline constexpr bool common_scan = std::is_same_v<In, Out>;
template <integer In>
inline constexpr bool common_scan<In, widest<In>> = true;
template <floating In>
inline constexpr bool common_scan<In, double> = true;
template <floating In>
  requires(sizeof(In) == 2)
inline constexpr bool common_scan<In, float> = true;

template <floating In, floating Out, floating State>
inline constexpr bool compiled_scan<exact_running_sum<In, Out, State>> = common_scan<In, Out>;
template <integer In, integer Out>
inline constexpr bool compiled_scan<integer_running_sum<In, Out>> = common_scan<In, Out>;
template <floating T>
inline constexpr bool compiled_scan<tree_sum<T>> = true;
template <element T, bool Least>
inline constexpr bool compiled_scan<running_extremum<T, Least>> = true;

}  // namespace tally::detail
