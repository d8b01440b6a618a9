// SPDX-License-Identifier: Apache-2.0
//
// The table of what the library holds compiled. A line, L(elements, aggregate), is an aggregate and
// the elements that it takes: every element, every integer, every floating one, or pairs of every
// element or every floating one. From it come the code for cores and the kernels for GPUs, the
// aggregates that have a name at run time (dynamic.hpp), and the command's. Where they are
// compiled: src/cpu/families, src/cuda/families.
#pragma once

#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/describe.hpp"
#include "tally/aggregate/dot.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/logic.hpp"
#include "tally/aggregate/moments.hpp"
#include "tally/aggregate/peak_to_peak.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/aggregate/sum.hpp"
#include "tally/aggregate/sum_of_squares.hpp"

// clang-format off
#define TALLY_INTEGER_SUMS(L) L(integer, sum)
#define TALLY_SUMS(L)         L(floating, sum)
#define TALLY_FAST_SUMS(L)    L(element, fast_sum)
#define TALLY_PRODUCTS(L)     L(element, product)
#define TALLY_LOGIC(L)        L(element, count_nonzero) L(element, any_of) L(element, all_of)
#define TALLY_BITS(L)         L(integer, bit_and) L(integer, bit_or) L(integer, bit_xor)
#define TALLY_EXTREMA(L)      L(element, minimum) L(element, maximum) L(element, min_max) L(element, peak_to_peak)
#define TALLY_ARG_EXTREMA(L)  L(element, arg_minimum) L(element, arg_maximum)
#define TALLY_MEANS(L)        L(element, mean)
#define TALLY_VARIANCES(L)    L(element, variance) L(element, standard_deviation)
#define TALLY_NORMS(L)        L(element, sum_of_squares) L(element, norm)
#define TALLY_DOTS(L)         L(pair, dot)
#define TALLY_DESCRIPTIONS(L)         L(floating, describe)
#define TALLY_INTEGER_DESCRIPTIONS(L) L(integer, describe)
#define TALLY_STATES(L)       L(floating, sum_state) L(element, moments_state) L(floating_pair, dot_state)

#define TALLY_REDUCTIONS(L)     \
  TALLY_INTEGER_SUMS(L)         \
  TALLY_SUMS(L)                 \
  TALLY_FAST_SUMS(L)            \
  TALLY_PRODUCTS(L)             \
  TALLY_LOGIC(L)                \
  TALLY_BITS(L)                 \
  TALLY_EXTREMA(L)              \
  TALLY_ARG_EXTREMA(L)          \
  TALLY_MEANS(L)                \
  TALLY_VARIANCES(L)            \
  TALLY_NORMS(L)                \
  TALLY_DOTS(L)                 \
  TALLY_DESCRIPTIONS(L)         \
  TALLY_INTEGER_DESCRIPTIONS(L) \
  TALLY_STATES(L)

// What a line's kind stands for: X(aggregate, T) for every T.
#define TALLY_EACH_integer(X, O)                                     \
  X(O, bool)                                                         \
  X(O, std::int8_t)  X(O, std::int16_t)                              \
  X(O, std::int32_t) X(O, std::int64_t)                              \
  X(O, std::uint8_t)  X(O, std::uint16_t)                            \
  X(O, std::uint32_t) X(O, std::uint64_t)
#define TALLY_EACH_floating(X, O) X(O, float16) X(O, bfloat16) X(O, float) X(O, double)
#define TALLY_EACH_element(X, O)  TALLY_EACH_integer(X, O) TALLY_EACH_floating(X, O)
#define TALLY_EACH_floating_pair(X, O) \
  X(O, pair<float16>) X(O, pair<bfloat16>) X(O, pair<float>) X(O, pair<double>)
#define TALLY_EACH_pair(X, O)                                        \
  X(O, pair<bool>)                                                   \
  X(O, pair<std::int8_t>)  X(O, pair<std::int16_t>)                  \
  X(O, pair<std::int32_t>) X(O, pair<std::int64_t>)                  \
  X(O, pair<std::uint8_t>)  X(O, pair<std::uint16_t>)                \
  X(O, pair<std::uint32_t>) X(O, pair<std::uint64_t>)                \
  TALLY_EACH_floating_pair(X, O)

// Results of another type than the one that comes without asking, O<R> of elements T. A GPU's
// kernels are those of the first family.
#define TALLY_WIDENED_SUMS(X)                                        \
  X(basic_sum<float>, float16)  X(basic_sum<double>, float16)        \
  X(basic_sum<float>, bfloat16) X(basic_sum<double>, bfloat16)       \
  X(basic_sum<float>, double)   X(basic_sum<double>, float)
#define TALLY_NARROWED_SUMS(X)                                       \
  X(basic_sum<bfloat16>, float16) X(basic_sum<float16>, bfloat16)    \
  X(basic_sum<float16>, float)    X(basic_sum<bfloat16>, float)      \
  X(basic_sum<float16>, double)   X(basic_sum<bfloat16>, double)
#define TALLY_ROUNDED_FLOATS(X, O)                                   \
  X(O<bfloat16>, float16) X(O<float>, float16)  X(O<double>, float16)   \
  X(O<float16>, bfloat16) X(O<float>, bfloat16) X(O<double>, bfloat16)  \
  X(O<float16>, float)    X(O<bfloat16>, float) X(O<double>, float)     \
  X(O<float16>, double)   X(O<bfloat16>, double) X(O<float>, double)
#define TALLY_ROUNDED_PAIRS(X, O)                                                            \
  X(O<bfloat16>, pair<float16>) X(O<float>, pair<float16>)  X(O<double>, pair<float16>)   \
  X(O<float16>, pair<bfloat16>) X(O<float>, pair<bfloat16>) X(O<double>, pair<bfloat16>)  \
  X(O<float16>, pair<float>)    X(O<bfloat16>, pair<float>) X(O<double>, pair<float>)     \
  X(O<float16>, pair<double>)   X(O<bfloat16>, pair<double>) X(O<float>, pair<double>)
#define TALLY_ROUNDED_INTEGERS(X, O) \
  TALLY_EACH_integer(X, O<float16>) TALLY_EACH_integer(X, O<bfloat16>) TALLY_EACH_integer(X, O<float>)
#define TALLY_ROUNDED_MEANS(X) \
  TALLY_ROUNDED_FLOATS(X, basic_mean) TALLY_ROUNDED_INTEGERS(X, basic_mean)
#define TALLY_ROUNDED_VARIANCES(X) \
  TALLY_ROUNDED_FLOATS(X, variance_as) TALLY_ROUNDED_INTEGERS(X, variance_as)
#define TALLY_ROUNDED_DEVIATIONS(X) \
  TALLY_ROUNDED_FLOATS(X, deviation_as) TALLY_ROUNDED_INTEGERS(X, deviation_as)
#define TALLY_ROUNDED_NORMS(X) \
  TALLY_ROUNDED_FLOATS(X, basic_norm) TALLY_ROUNDED_INTEGERS(X, basic_norm)
#define TALLY_ROUNDED_SQUARES(X)                                                             \
  TALLY_ROUNDED_FLOATS(X, basic_sum_of_squares) TALLY_ROUNDED_INTEGERS(X, basic_sum_of_squares) \
  TALLY_EACH_integer(X, basic_sum_of_squares<double>)
#define TALLY_ROUNDED_DOTS(X) TALLY_ROUNDED_PAIRS(X, basic_dot)
#define TALLY_ROUNDED(X)                                                                    \
  TALLY_WIDENED_SUMS(X) TALLY_NARROWED_SUMS(X) TALLY_ROUNDED_MEANS(X) TALLY_ROUNDED_VARIANCES(X) \
  TALLY_ROUNDED_DEVIATIONS(X) TALLY_ROUNDED_NORMS(X) TALLY_ROUNDED_SQUARES(X) TALLY_ROUNDED_DOTS(X)

// Scans, X(aggregate, In, Out): what held_scan, below, is true of.
#define TALLY_SCANS_OF_INTEGERS(X)                                                        \
  X(sum, bool, bool) X(sum, bool, std::uint64_t)                                          \
  X(sum, std::int8_t, std::int8_t)     X(sum, std::int8_t, std::int64_t)                  \
  X(sum, std::int16_t, std::int16_t)   X(sum, std::int16_t, std::int64_t)                 \
  X(sum, std::int32_t, std::int32_t)   X(sum, std::int32_t, std::int64_t)                 \
  X(sum, std::int64_t, std::int64_t)                                                      \
  X(sum, std::uint8_t, std::uint8_t)   X(sum, std::uint8_t, std::uint64_t)                \
  X(sum, std::uint16_t, std::uint16_t) X(sum, std::uint16_t, std::uint64_t)               \
  X(sum, std::uint32_t, std::uint32_t) X(sum, std::uint32_t, std::uint64_t)               \
  X(sum, std::uint64_t, std::uint64_t)
#define TALLY_SCANS_OF_PRODUCTS(X)                                                        \
  X(product, std::int64_t, std::int64_t) X(product, std::uint64_t, std::uint64_t)         \
  X(product, float16, float16) X(product, bfloat16, bfloat16)                             \
  X(product, float, float) X(product, double, double)
#define TALLY_SCANS_TO(X, OUT)                                                            \
  X(sum, float16, OUT) X(sum, bfloat16, OUT) X(sum, float, OUT) X(sum, double, OUT)
#define TALLY_SCANS_OF_FLOATS(X)                                                          \
  TALLY_SCANS_TO(X, float16) TALLY_SCANS_TO(X, bfloat16)                                  \
  TALLY_SCANS_TO(X, float) TALLY_SCANS_TO(X, double)
// clang-format on

namespace tally::detail {

template <class T>
using pair = zipped<T, T>;
template <class R>
using variance_as = basic_variance<R, false>;
template <class R>
using deviation_as = basic_variance<R, true>;

// Whether a line of the table says that the library holds `Op` of elements T.
template <class Op, class T>
inline constexpr bool in_table = false;
#define TALLY_LINE_OF(CONCEPT, ELEMENT, O) \
  template <CONCEPT T>                     \
  inline constexpr bool in_table<O, ELEMENT> = true;
#define TALLY_LINE_OF_element(O) TALLY_LINE_OF(element, T, O)
#define TALLY_LINE_OF_integer(O) TALLY_LINE_OF(integer, T, O)
#define TALLY_LINE_OF_floating(O) TALLY_LINE_OF(floating, T, O)
#define TALLY_LINE_OF_pair(O) TALLY_LINE_OF(element, pair<T>, O)
#define TALLY_LINE_OF_floating_pair(O) TALLY_LINE_OF(floating, pair<T>, O)
#define TALLY_LINE(ELEMENTS, O) TALLY_LINE_OF_##ELEMENTS(O)
TALLY_REDUCTIONS(TALLY_LINE)
#undef TALLY_LINE
#undef TALLY_LINE_OF
#undef TALLY_LINE_OF_element
#undef TALLY_LINE_OF_integer
#undef TALLY_LINE_OF_floating
#undef TALLY_LINE_OF_pair
#undef TALLY_LINE_OF_floating_pair

// Whether it holds that for a CPU: results of another type, too.
template <class Op, class T>
inline constexpr bool held_on_cpu = in_table<Op, T>;
#define TALLY_HELD(O, T) \
  template <>            \
  inline constexpr bool held_on_cpu<O, T> = true;
TALLY_ROUNDED(TALLY_HELD)
#undef TALLY_HELD

// Scans. Sums of integers have the input's own type or the widest one.
template <class Op, class In, class Out>
inline constexpr bool held_scan = false;
template <floating In, floating Out>
inline constexpr bool held_scan<sum, In, Out> = true;
template <integer In, integer Out>
inline constexpr bool held_scan<sum, In, Out> = is_one_of<Out, In, widest<In>>;
template <floating T>
inline constexpr bool held_scan<fast_sum, T, T> = true;
template <element T>
inline constexpr bool held_scan<product, T, T> =
    is_one_of<T, std::int64_t, std::uint64_t> || floating<T>;
template <element T>
inline constexpr bool held_scan<minimum, T, T> = true;
template <element T>
inline constexpr bool held_scan<maximum, T, T> = true;

// An aggregate as the table has it: without the result's type where that comes without asking, or
// is an integer that the library's is converted to.
template <class T, class Op>
constexpr auto canonical(Op const& op) {
  if constexpr (requires { op.template as<void>(); }) {
    using asked = typename Op::template result<T>;
    using own = typename decltype(op.template as<void>())::template result<T>;
    if constexpr (std::is_same_v<asked, own> || integer<asked>)
      return op.template as<void>();
    else
      return op;
  } else {
    return op;
  }
}
template <class Op, class T>
using canonical_of = decltype(canonical<T>(std::declval<Op const&>()));

}  // namespace tally::detail
