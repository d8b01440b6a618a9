// SPDX-License-Identifier: Apache-2.0
#include "tally/device/rows/strided_copy.cuh"

#include "tally/gpu/strided_copy.hpp"

namespace tally::detail {

void copy_strided_by_gpu(gpu_context& context, strided_copy const& copy) {
  if (copy.bytes == 1) copy_strided_on_gpu<std::uint8_t>(context, copy);
  if (copy.bytes == 2) copy_strided_on_gpu<std::uint16_t>(context, copy);
  if (copy.bytes == 4) copy_strided_on_gpu<std::uint32_t>(context, copy);
  if (copy.bytes == 8) copy_strided_on_gpu<std::uint64_t>(context, copy);
}

}  // namespace tally::detail
