// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/quantile_array.cuh"

namespace tally::detail {

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, array_input<Bits> const& in,
                               gpu_rows const& rows, rank_order<Bits> const& order,
                               gpu_quantiles const& how) {
  quantiles_on_gpu(context, in, rows, order, how);
}
TALLY_EACH_WIDTH(TALLY_QUANTILE_KERNEL)

}  // namespace tally::detail
