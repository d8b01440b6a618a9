// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/top_k/launch.cuh"

namespace tally::detail {

template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context,
                           device::top_k_request<array_input<Bits>> const& call,
                           gpu_payload const* payload) {
  top_k_on_gpu(context, call, payload);
}
TALLY_TOP_K_KERNEL(std::uint32_t)
TALLY_TOP_K_KERNEL(std::uint64_t)

}  // namespace tally::detail
