// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/aggregate/packed.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/dot.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/logic.cuh"
#include "tally/device/reduce/agent/moments.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/launch.cuh"
#include "tally/device/reduce/rows/launch.cuh"

namespace tally::detail {

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                            void* result, bool* found) {
  auto const a = op.template on<typename In::element>();
  using bound = std::remove_const_t<decltype(a)>;
  reduce_on_gpu(context, a, nan, in, static_cast<typename bound::result*>(result), found);
}

template <class Op, class In>
void reduce_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                                 void* out, row_layout const& places) {
  auto const a = op.template on<typename In::element>();
  using result = typename std::remove_const_t<decltype(a)>::result;
  reduce_rows_on_gpu(context, a, nan, in, rows<result>(static_cast<result*>(out), places));
}

#define ARG_EXTREMA TALLY_ARG_EXTREMA(TALLY_KERNELS)
#define BITS TALLY_BITS(TALLY_KERNELS)
#define DESCRIPTIONS TALLY_DESCRIPTIONS(TALLY_KERNELS)
#define DOTS TALLY_DOTS(TALLY_KERNELS)
#define EXTREMA TALLY_EXTREMA(TALLY_KERNELS)
#define FAST_SUMS TALLY_FAST_SUMS(TALLY_KERNELS) TALLY_FAST_SUM_STATES(TALLY_KERNEL_OF)
#define INTEGER_DESCRIPTIONS TALLY_INTEGER_DESCRIPTIONS(TALLY_KERNELS)
#define INTEGER_SUMS TALLY_INTEGER_SUMS(TALLY_KERNELS)
#define LOGIC TALLY_LOGIC(TALLY_KERNELS)
#define MEANS TALLY_MEANS(TALLY_KERNELS)
#define NORMS TALLY_NORMS(TALLY_KERNELS)
#define PRODUCTS TALLY_PRODUCTS(TALLY_KERNELS) TALLY_PRODUCT_STATES(TALLY_KERNEL_OF)
#define STATES TALLY_STATES(TALLY_KERNELS)
#define SUMS TALLY_SUMS(TALLY_KERNELS) TALLY_WIDENED_SUMS(TALLY_KERNEL_OF)
#define TRANSFORMED TALLY_TRANSFORMED(TALLY_KERNEL_COMPUTED)
#define VARIANCES TALLY_VARIANCES(TALLY_KERNELS)
TALLY_FAMILY

}  // namespace tally::detail
