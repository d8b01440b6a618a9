// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/scan/launch.cuh"
#include "tally/device/scan/prefix/exact.cuh"
#include "tally/device/scan/prefix/integer.cuh"
#include "tally/device/scan/prefix/steps_of_numbers.cuh"

namespace tally::detail {

template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                          Out* out, gpu_scan<Out> const& how) {
  scan_on_gpu(context, op.template scanning<typename In::element, Out>(), nan, in, out, how);
}
template <class Op, class T, class Out>
void scan_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan,
                               rows<T const> const& in, rows<Out> const& out,
                               gpu_scan<Out> const& how) {
  scan_rows_on_gpu(context, op.template scanning<T, Out>(), nan,
                   array_input<T>{in.data, in.count * in.length}, in, out.data, out, how);
}

#define OWN(O, T) TALLY_SCAN_KERNEL(O, T, T)
#define MINIMA TALLY_EACH_element(OWN, minimum)
#define MAXIMA TALLY_EACH_element(OWN, maximum)
#define FAST_SUMS TALLY_EACH_floating(OWN, fast_sum)
#define PRODUCTS TALLY_SCANS_OF_PRODUCTS(TALLY_SCAN_KERNEL)
#define INTEGER_SUMS TALLY_SCANS_OF_INTEGERS(TALLY_SCAN_KERNEL)
#define SUMS_TO_DOUBLE TALLY_SCANS_TO(TALLY_SCAN_KERNEL, double)
#define SUMS_TO_FLOAT TALLY_SCANS_TO(TALLY_SCAN_KERNEL, float)
#define SUMS_TO_HALF TALLY_SCANS_TO(TALLY_SCAN_KERNEL, float16)
#define SUMS_TO_BFLOAT TALLY_SCANS_TO(TALLY_SCAN_KERNEL, bfloat16)
TALLY_FAMILY

}  // namespace tally::detail
