// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/gpu/each_index.hpp"
#include "tally/gpu/quantile.hpp"
#include "tally/gpu/scan.hpp"
#include "tally/gpu/strided_copy.hpp"
#include "tally/gpu/top_k.hpp"
#include "tally/row_inputs.hpp"

// A kernel of the table, in the source of its family: of a line, of one type, of what is computed.
#define TALLY_KERNEL(...) \
  template void reduce_compiled_on_gpu(gpu_context&, __VA_ARGS__, void*, bool*);
#define TALLY_KERNEL_OF(O, T)                                                   \
  TALLY_KERNEL(O const&, nan_policy, stored_input<T> const&)                    \
  template void reduce_rows_compiled_on_gpu(gpu_context&, O const&, nan_policy, \
                                            stored_rows<T> const&, void*, row_layout const&);
#define TALLY_KERNELS(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_KERNEL_OF, O)
#define TALLY_KERNEL_COMPUTED(O, F, T) \
  TALLY_KERNEL(O const&, nan_policy, computed_input<T, F> const&)

// And the states of a line, which kernels of other lines tell.
#define TALLY_KNOWN_OF(O, T)                                                               \
  template owner<running<T>> known_compiled_on_gpu(gpu_context&, O const&, nan_policy,     \
                                                   stored_input<T> const&, std::uint64_t); \
  template void known_of_rows_compiled_on_gpu(gpu_context&, O const&, nan_policy,          \
                                              stored_rows<T> const&, std::uint64_t,        \
                                              owner<running<T>>*, std::uint64_t*);
#define TALLY_KNOWN(ELEMENTS, O) TALLY_EACH_##ELEMENTS(TALLY_KNOWN_OF, O)

// And of a scan, X(aggregate, In, Out).
#define TALLY_SCAN_KERNEL(O, IN, OUT)                                                            \
  template void scan_compiled_on_gpu(gpu_context&, O const&, nan_policy, array_input<IN> const&, \
                                     OUT*, gpu_scan<OUT> const&);                                \
  template void scan_rows_compiled_on_gpu(gpu_context&, O const&, nan_policy,                    \
                                          rows<IN const> const&, rows<OUT> const&,               \
                                          gpu_scan<OUT> const&);

// And of a top-k, by the width of the elements.
#define TALLY_TOP_K_KERNEL(BITS)       \
  template void top_k_compiled_on_gpu( \
      gpu_context&, device::top_k_request<array_input<BITS>> const&, gpu_payload const*);

// And of one by sums.
#define TALLY_BIASED_TOP_K_KERNEL(BITS) \
  template bool biased_top_k_compiled_on_gpu(gpu_context&, device::biased_request<BITS> const&);

// And of a search for the k-th value, and for quantiles.
#define TALLY_KTH_VALUE_KERNEL(BITS) \
  template void kth_value_compiled_on_gpu(gpu_context&, gpu_kth_request<BITS> const&);
#define TALLY_QUANTILE_KERNEL(BITS) \
  template void quantiles_compiled_on_gpu(gpu_context&, gpu_quantile_request<BITS> const&);
#define TALLY_EACH_WIDTH(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
