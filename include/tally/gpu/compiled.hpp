// SPDX-License-Identifier: Apache-2.0
//
// Which kernels the library holds: those of the table (tally/compiled.hpp) for arrays and pairs of
// arrays, and some that read what is computed from an array's elements.
#pragma once

#include "tally/compiled.hpp"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

// clang-format off
#define TALLY_EACH_TRANSFORMED(X, O, F)                                                  \
  X(O, F, std::int8_t) X(O, F, std::int16_t) X(O, F, std::int32_t) X(O, F, std::int64_t) \
  X(O, F, float16)     X(O, F, bfloat16)     X(O, F, float)        X(O, F, double)
#define TALLY_TRANSFORMED(X)                                                             \
  TALLY_EACH_TRANSFORMED(X, sum, absolute)     TALLY_EACH_TRANSFORMED(X, sum, square)    \
  TALLY_EACH_TRANSFORMED(X, maximum, absolute) TALLY_EACH_TRANSFORMED(X, maximum, square)
// clang-format on

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
template <class T>
using stored_pair = zip_input<array_input<T>, array_input<T>>;
template <class T, class F>
using computed_input = transform_input<array_input<T>, F>;

template <class Op, class In>
inline constexpr bool held_on_gpu = false;

#define TALLY_HELD_OF(CONCEPT, ELEMENT, O) \
  template <CONCEPT T>                     \
  inline constexpr bool held_on_gpu<O, ELEMENT> = true;
#define TALLY_HELD_element(O) TALLY_HELD_OF(element, array_input<T>, O)
#define TALLY_HELD_integer(O) TALLY_HELD_OF(integer, array_input<T>, O)
#define TALLY_HELD_floating(O) TALLY_HELD_OF(floating, array_input<T>, O)
#define TALLY_HELD_pair(O) TALLY_HELD_OF(element, stored_pair<T>, O)
#define TALLY_HELD_floating_pair(O) TALLY_HELD_OF(floating, stored_pair<T>, O)
#define L(ELEMENTS, O) TALLY_HELD_##ELEMENTS(O)
TALLY_REDUCTIONS(L)
#undef L
#undef TALLY_HELD_OF
#undef TALLY_HELD_element
#undef TALLY_HELD_integer
#undef TALLY_HELD_floating
#undef TALLY_HELD_pair
#undef TALLY_HELD_floating_pair

#define X(O, T) \
  template <>   \
  inline constexpr bool held_on_gpu<O, array_input<T>> = true;
TALLY_WIDENED_SUMS(X)
#undef X
#define X(O, F, T) \
  template <>      \
  inline constexpr bool held_on_gpu<O, computed_input<T, F>> = true;
TALLY_TRANSFORMED(X)
#undef X

}  // namespace tally::detail
