// SPDX-License-Identifier: Apache-2.0
//
// What a quantile is.
#pragma once

#include "tally/types.hpp"

namespace tally {

// What a quantile is that falls between two elements of the sorted array: the point of the straight
// line between them, the lower or the higher of them, the nearest (of both as near, the one whose
// index is even), or their mean. Names and meanings are NumPy's.
enum class interpolation : unsigned char { linear, lower, higher, nearest, midpoint };

// The type of a quantile: that of floating-point elements, and of integers double.
template <class T>
using quantile_of = std::conditional_t<is_one_of<T, float16, bfloat16, float>, T, double>;

}  // namespace tally
