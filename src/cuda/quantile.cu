// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/top_k/kth/launch.cuh"

namespace tally::detail {

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, gpu_quantile_request<Bits> const& call) {
  quantiles_on_gpu(context, call);
}
TALLY_EACH_WIDTH(TALLY_QUANTILE_KERNEL)

}  // namespace tally::detail
