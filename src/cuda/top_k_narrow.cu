// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/payload_array.cuh"

namespace tally::detail {

template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in, gpu_rows const& rows,
                           rank_order<Bits> const& order, gpu_selection<Bits> const& how) {
  top_k_on_gpu(context, in, rows, order, how);
}
template <class Bits>
void top_k_with_payload_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                                        gpu_rows const& rows, rank_order<Bits> const& order,
                                        gpu_selection<Bits> const& how,
                                        gpu_payload const& payload) {
  top_k_with_payload_on_gpu(context, in, rows, order, how, payload);
}
TALLY_TOP_K_KERNEL(std::uint8_t)
TALLY_TOP_K_KERNEL(std::uint16_t)

}  // namespace tally::detail
