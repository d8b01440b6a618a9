// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/output.hpp"

#include <string>

namespace tally {

gpu_output::gpu_output(gpu& where, std::size_t bytes)
    : where_(where.context()), memory_(where_, bytes) {}

void gpu_output::read(std::size_t first, std::span<std::byte> to) const {
  if (first > bytes() || to.size() > bytes() - first)
    throw error("gpu_output: read " + std::to_string(to.size()) + " bytes from " +
                std::to_string(first) + " on, where there are " + std::to_string(bytes()));
  if (!to.empty()) detail::entered_gpu(where_)->receive(to, memory_.data() + first);
}

}  // namespace tally
