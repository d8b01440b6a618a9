// SPDX-License-Identifier: Apache-2.0
//
// The table of the kernels that the library holds: for which aggregates, of which elements or
// inputs, with which results. A line is a family, and has a source of its name in src/cuda.
#pragma once

#include "tally/aggregate/bits.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/logic.hpp"
#include "tally/aggregate/product.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/gpu/reduce.hpp"
#include "tally/transform.hpp"
#include "tally/zip.hpp"

namespace tally::detail {

// A kernel that the library holds: an aggregate, and the inputs that it reads.
template <aggregate A, input In>
struct instance {
  using aggregate_type = A;
  using input_type = In;
};

// Elements as they are: arrays, and pairs of arrays.
template <class T>
struct stored {
  using type = array_input<T>;
};
template <class A, class B>
struct stored<zipped<A, B>> {
  using type = zip_input<array_input<A>, array_input<B>>;
};

template <class Op, class T>
using bound_to = decltype(std::declval<Op const&>().template on<T>());
template <class Op, class T>
using on = instance<bound_to<Op, T>, typename stored<T>::type>;
template <class Op, class T>
using on_pairs = on<Op, zipped<T, T>>;
template <class Op, class F, class T>
using on_each =
    instance<bound_to<Op, std::invoke_result_t<F, T>>, transform_input<array_input<T>, F>>;

}  // namespace tally::detail

// clang-format off
#define TALLY_EACH_SIGNED(X, ...)                                      \
  X(__VA_ARGS__, std::int8_t>)  X(__VA_ARGS__, std::int16_t>)          \
  X(__VA_ARGS__, std::int32_t>) X(__VA_ARGS__, std::int64_t>)
#define TALLY_EACH_UNSIGNED(X, ...)                                    \
  X(__VA_ARGS__, bool>)                                                \
  X(__VA_ARGS__, std::uint8_t>)  X(__VA_ARGS__, std::uint16_t>)        \
  X(__VA_ARGS__, std::uint32_t>) X(__VA_ARGS__, std::uint64_t>)
#define TALLY_EACH_FLOAT(X, ...)                                       \
  X(__VA_ARGS__, float16>) X(__VA_ARGS__, bfloat16>)                   \
  X(__VA_ARGS__, float>)   X(__VA_ARGS__, double>)
#define TALLY_ON_INTEGERS(X, ...) \
  TALLY_EACH_SIGNED(X, on<__VA_ARGS__) TALLY_EACH_UNSIGNED(X, on<__VA_ARGS__)
#define TALLY_ON_FLOATS(X, ...) TALLY_EACH_FLOAT(X, on<__VA_ARGS__)
#define TALLY_ON_ALL(X, ...) TALLY_ON_INTEGERS(X, __VA_ARGS__) TALLY_ON_FLOATS(X, __VA_ARGS__)

#define TALLY_GPU_INTEGER_SUMS(X) TALLY_ON_INTEGERS(X, sum)
#define TALLY_GPU_SUMS(X)                                              \
  TALLY_ON_FLOATS(X, sum)                                              \
  X(on<basic_sum<float>, float16>)  X(on<basic_sum<double>, float16>)  \
  X(on<basic_sum<float>, bfloat16>) X(on<basic_sum<double>, bfloat16>) \
  X(on<basic_sum<float>, double>)   X(on<basic_sum<double>, float>)
#define TALLY_GPU_FAST_SUMS(X)   TALLY_ON_FLOATS(X, fast_sum)
#define TALLY_GPU_PRODUCTS(X)    TALLY_ON_ALL(X, product)
#define TALLY_GPU_LOGIC(X) \
  TALLY_ON_ALL(X, count_nonzero) TALLY_ON_ALL(X, any_of) TALLY_ON_ALL(X, all_of)
#define TALLY_GPU_EXTREMA(X) \
  TALLY_ON_ALL(X, minimum) TALLY_ON_ALL(X, maximum) TALLY_ON_ALL(X, min_max)
#define TALLY_GPU_ARG_EXTREMA(X) TALLY_ON_ALL(X, arg_minimum) TALLY_ON_ALL(X, arg_maximum)

#define TALLY_GPU_BITS(X) \
  TALLY_ON_INTEGERS(X, bit_and) TALLY_ON_INTEGERS(X, bit_or) TALLY_ON_INTEGERS(X, bit_xor)

#define TALLY_GPU_MEANS(X) TALLY_ON_ALL(X, mean)
#define TALLY_GPU_VARIANCES(X) TALLY_ON_ALL(X, variance) TALLY_ON_ALL(X, standard_deviation)
#define TALLY_GPU_NORMS(X)     TALLY_ON_ALL(X, sum_of_squares) TALLY_ON_ALL(X, norm)

#define TALLY_GPU_DOTS(X)                                                    \
  TALLY_EACH_SIGNED(X, on_pairs<dot) TALLY_EACH_UNSIGNED(X, on_pairs<dot)    \
  TALLY_EACH_FLOAT(X, on_pairs<dot)
#define TALLY_GPU_INTEGER_DESCRIPTIONS(X) TALLY_ON_INTEGERS(X, describe)
#define TALLY_GPU_DESCRIPTIONS(X)         TALLY_ON_FLOATS(X, describe)
#define TALLY_GPU_STATES(X)                                          \
  TALLY_ON_FLOATS(X, sum_state) TALLY_ON_FLOATS(X, moments_state)    \
  TALLY_EACH_FLOAT(X, on_pairs<dot_state)

#define TALLY_EACH_TRANSFORMED(X, F)                                                    \
  TALLY_EACH_SIGNED(X, on_each<sum, F)     TALLY_EACH_FLOAT(X, on_each<sum, F)          \
  TALLY_EACH_SIGNED(X, on_each<maximum, F) TALLY_EACH_FLOAT(X, on_each<maximum, F)
#define TALLY_GPU_TRANSFORMED(X) \
  TALLY_EACH_TRANSFORMED(X, absolute) TALLY_EACH_TRANSFORMED(X, square)

#define TALLY_GPU_REDUCTIONS(X)     \
  TALLY_GPU_INTEGER_SUMS(X)         \
  TALLY_GPU_SUMS(X)                 \
  TALLY_GPU_FAST_SUMS(X)            \
  TALLY_GPU_PRODUCTS(X)             \
  TALLY_GPU_LOGIC(X)                \
  TALLY_GPU_EXTREMA(X)              \
  TALLY_GPU_ARG_EXTREMA(X)          \
  TALLY_GPU_BITS(X)                 \
  TALLY_GPU_MEANS(X)                \
  TALLY_GPU_VARIANCES(X)            \
  TALLY_GPU_NORMS(X)                \
  TALLY_GPU_DOTS(X)                 \
  TALLY_GPU_INTEGER_DESCRIPTIONS(X) \
  TALLY_GPU_DESCRIPTIONS(X)         \
  TALLY_GPU_STATES(X)               \
  TALLY_GPU_TRANSFORMED(X)
// clang-format on

namespace tally::detail {

#define X(...)                                                                                  \
  template <>                                                                                   \
  inline constexpr bool                                                                         \
      compiled_on_gpu<typename __VA_ARGS__::aggregate_type, typename __VA_ARGS__::input_type> = \
          true;
TALLY_GPU_REDUCTIONS(X)
#undef X

}  // namespace tally::detail
