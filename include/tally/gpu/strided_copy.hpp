// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/gpu/context.hpp"
#include "tally/strides.hpp"

namespace tally::detail {

// In the stream's order, on a device that has been entered (device/rows/strided_copy.cuh).
void copy_strided_by_gpu(gpu_context& context, strided_copy const& copy);

}  // namespace tally::detail
