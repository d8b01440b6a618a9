// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/kth_value_array.cuh"

namespace tally::detail {

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                               gpu_rows const& rows, rank_order<Bits> const& order,
                               gpu_kth<Bits> const& how) {
  kth_value_on_gpu(context, in, rows, order, how);
}
TALLY_EACH_WIDTH(TALLY_KTH_VALUE_KERNEL)

}  // namespace tally::detail
