// SPDX-License-Identifier: Apache-2.0
//
// The aggregates of Tally's own that tables name, which say something of them and need not know
// what they are: so a change of one compiles nothing that does not use it.
#pragma once

#include "tally/aggregate/aggregate.hpp"

namespace tally {

namespace detail {

// The type whose exact states hold values of both types.
template <class A, class B>
using wider = std::conditional_t<
    is_one_of<double, A, B>, double,
    std::conditional_t<is_one_of<float16, A> && is_one_of<float16, B>, float16, float>>;

}  // namespace detail

template <element T>
struct exact_state;
template <floating T>
struct exact_products;

template <floating T, floating R = T, floating State = T>
struct exact_sum;
template <floating T>
struct exact_sum_state;
template <integer T, integer R = widest<T>>
struct integer_sum;
template <floating In, floating Out, floating State = detail::wider<In, Out>>
struct exact_running_sum;
template <integer In, integer Out>
struct integer_running_sum;
template <floating T>
struct tree_sum;
template <floating T>
struct tree_product;
template <integer T>
struct integer_product;

template <floating T, floating R = T>
struct exact_dot;
template <floating T>
struct exact_dot_state;
template <integer T, integer R = widest<T>>
struct integer_dot;

template <element T, bool Squares>
struct moment_sums;
template <element T, bool Squares>
struct moments;
template <element T>
struct exact_moments;
template <element T, floating R>
struct exact_mean;
template <element T, floating R, bool Root>
struct exact_variance;
template <element T, element R>
struct exact_sum_of_squares;
template <element T, floating R>
struct exact_norm;

template <element T>
struct extrema;
namespace detail {
template <element T>
struct extreme_values;
}
template <element T, bool Least>
struct running_extremum;

template <element T>
struct zeros;
template <integer T, class Op>
struct bitwise;

namespace detail {

template <element T, bool Least>
struct extremum;
template <element T, bool Least>
struct arg_extremum;
template <element T, class F>
struct of_extremum_values;
template <element T>
struct described;
template <class A, class B>
struct both;

}  // namespace detail
}  // namespace tally
