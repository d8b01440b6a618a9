// SPDX-License-Identifier: Apache-2.0
//
// The aggregates whose code for tiles is compiled in families/parts.cpp.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/cpu/reduce.hpp"

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
inline constexpr bool compiled_reduce<extreme_values<T>> = true;
template <element T>
inline constexpr bool compiled_reduce<description_parts<T>> = true;
template <element T>
inline constexpr bool compiled_reduce<zeros<T>> = true;
template <integer T>
inline constexpr bool compiled_reduce<integer_product<T>> = true;
template <floating T>
inline constexpr bool compiled_reduce<tree_product<T>> = true;

}  // namespace tally::detail
