// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/top_k/kth/launch.cuh"
#include "tally/device/top_k/launch.cuh"

namespace tally::detail {

template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context,
                           device::top_k_request<array_input<Bits>> const& call,
                           gpu_payload const* payload) {
  top_k_on_gpu(context, call, payload);
}
template <class Bits>
bool biased_top_k_compiled_on_gpu(gpu_context& context, device::biased_request<Bits> const& call) {
  return biased_top_k_on_gpu(context, call);
}
template <class Bits>
void kth_value_compiled_on_gpu(gpu_context& context, gpu_kth_request<Bits> const& call) {
  kth_value_on_gpu(context, call);
}
template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, gpu_quantile_request<Bits> const& call) {
  quantiles_on_gpu(context, call);
}

#define TOP_K TALLY_TOP_K_KERNEL(std::uint32_t) TALLY_TOP_K_KERNEL(std::uint64_t)
#define TOP_K_NARROW TALLY_TOP_K_KERNEL(std::uint8_t) TALLY_TOP_K_KERNEL(std::uint16_t)
#define TOP_K_BIASED \
  TALLY_BIASED_TOP_K_KERNEL(std::uint16_t) TALLY_BIASED_TOP_K_KERNEL(std::uint32_t)
#define KTH_VALUES TALLY_EACH_WIDTH(TALLY_KTH_VALUE_KERNEL)
#define QUANTILES TALLY_EACH_WIDTH(TALLY_QUANTILE_KERNEL)
TALLY_FAMILY

}  // namespace tally::detail
