// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/instances.hpp"
#include "tally/device/top_k/kth/launch.cuh"

namespace tally::detail {

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context& context, gpu_kth_request<Bits> const& call) {
  kth_value_on_gpu(context, call);
}
TALLY_EACH_WIDTH(TALLY_KTH_VALUE_KERNEL)

}  // namespace tally::detail
