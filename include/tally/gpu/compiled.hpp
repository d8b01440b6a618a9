// SPDX-License-Identifier: Apache-2.0
//
// Which kernels the library holds: those of the table (tally/compiled.hpp) for arrays and pairs of
// arrays, and some that read what is computed from an array's elements.
#pragma once

#include "tally/compiled.hpp"
#include "tally/rows.hpp"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

// clang-format off
#define TALLY_EACH_TRANSFORMED(X, O, F)                                                  \
  X(O, F, std::int8_t) X(O, F, std::int16_t) X(O, F, std::int32_t) X(O, F, std::int64_t) \
  X(O, F, float16)     X(O, F, bfloat16)     X(O, F, float)        X(O, F, double)
#define TALLY_TRANSFORMED(X)                                                             \
  TALLY_EACH_TRANSFORMED(X, sum, absolute)     TALLY_EACH_TRANSFORMED(X, sum, square)    \
  TALLY_EACH_TRANSFORMED(X, maximum, absolute) TALLY_EACH_TRANSFORMED(X, maximum, square)
// States that no result tells: sums and products in float.
#define TALLY_FAST_SUM_STATES(X)                                                         \
  X(known_by<fast_sum>, float16) X(known_by<fast_sum>, bfloat16)
#define TALLY_PRODUCT_STATES(X)                                                          \
  X(known_by<product>, float16) X(known_by<product>, bfloat16)
// clang-format on

namespace tally {

template <class A, class B>
struct zipped_rows;  // row_inputs.hpp
template <class Op>
struct known_by;  // aggregate/packed.hpp

}  // namespace tally

namespace tally::detail {

// How elements that are in memory come to a kernel.
template <class T>
struct stored {
  using type = array_input<T>;
};
template <class A, class B>
struct stored<zipped<A, B>> {
  using type = zip_input<array_input<A>, array_input<B>>;
};
template <class T>
using stored_input = typename stored<T>::type;
// And those of rows.
template <class T>
struct stored_rows_of {
  using type = rows<T const>;
};
template <class A, class B>
struct stored_rows_of<zipped<A, B>> {
  using type = zipped_rows<rows<A const>, rows<B const>>;
};
template <class T>
using stored_rows = typename stored_rows_of<T>::type;
template <class T>
using stored_pair = zip_input<array_input<T>, array_input<T>>;
template <class T, class F>
using computed_input = transform_input<array_input<T>, F>;

template <class Op, class In>
inline constexpr bool held_on_gpu = false;
template <class Op, class T>
inline constexpr bool held_on_gpu<Op, array_input<T>> = in_table<Op, T>;
template <class Op, class T>
inline constexpr bool held_on_gpu<Op, stored_pair<T>> = in_table<Op, pair<T>>;
#define TALLY_HELD(O, T) \
  template <>            \
  inline constexpr bool held_on_gpu<O, array_input<T>> = true;
TALLY_WIDENED_SUMS(TALLY_HELD)
TALLY_FAST_SUM_STATES(TALLY_HELD)
TALLY_PRODUCT_STATES(TALLY_HELD)
#undef TALLY_HELD
template <class Op, class T>
inline constexpr bool held_on_gpu<Op, rows<T const>> = held_on_gpu<Op, array_input<T>>;
template <class Op, class T>
inline constexpr bool held_on_gpu<Op, zipped_rows<rows<T const>, rows<T const>>> =
    held_on_gpu<Op, stored_pair<T>>;
#define TALLY_HELD(O, F, T) \
  template <>               \
  inline constexpr bool held_on_gpu<O, computed_input<T, F>> = true;
TALLY_TRANSFORMED(TALLY_HELD)
#undef TALLY_HELD

}  // namespace tally::detail
