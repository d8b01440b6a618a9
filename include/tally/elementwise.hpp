// SPDX-License-Identifier: Apache-2.0
//
// Arrays made of others, element by element: what comes before a call that converts its elements,
// leaves some out or adds to them, and behind it. All lie where the call runs; on a gpu it is
// asynchronous.
#pragma once

#include "tally/ndarray.hpp"

namespace tally {

// Copies elements to an array of the same shape, and of any type: rounded to nearest, or modulo
// 2^bits; floating-point numbers become integers toward zero, the nearest there are, and NaN 0.
void copy_into(any_where where, any_ndarray const& in, any_ndarray_output const& out);

// Writes one number, of out's type, to every place.
void fill(any_where where, any_number value, any_ndarray_output const& out);

// out += in, of one shape and type: rounded once, or modulo 2^bits.
void add_into(any_where where, any_ndarray const& in, any_ndarray_output const& out);

// out[..., i, ...] = in[..., indices[..., i, ...], ...], i and the indices counting along one axis.
// The indices lie side by side, in C order of out's shape; where one is negative nothing is
// written.
void take_along(any_where where, any_ndarray const& in, std::size_t axis,
                std::int64_t const* indices, any_ndarray_output const& out);

// A mask of so many elements, side by side, as the bits of a validity.
void pack_bits(any_where where, bool const* mask, std::uint64_t size, std::uint8_t* bits);

}  // namespace tally
