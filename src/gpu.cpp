// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu.hpp"

#include "tally/error.hpp"

namespace tally::detail {

opened_gpu& gpu_handle::operator*() const {
  if (!gpu_) throw error("gpu: another has been made from it, and it can no more be used");
  return *gpu_;
}

}  // namespace tally::detail
