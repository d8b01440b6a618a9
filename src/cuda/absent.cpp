// SPDX-License-Identifier: Apache-2.0
//
// Instead of this folder's other sources, where there is no CUDA compiler.
#include "tally/devices.hpp"
#include "tally/error.hpp"

namespace tally {

std::vector<gpu_properties> gpus() { return {}; }

std::string no_gpu_because() { return "Tally was built without CUDA"; }

memory_lines measure_memory(gpu_properties const&) { throw error("no GPU: " + no_gpu_because()); }

}  // namespace tally
