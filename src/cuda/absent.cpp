// SPDX-License-Identifier: Apache-2.0
//
// Instead of this folder's other sources, where there is no CUDA compiler.
#include "instances.hpp"
#include "tally/devices.hpp"
#include "tally/error.hpp"

namespace tally {
namespace {

[[noreturn]] void fail() { throw error("no GPU: " + no_gpu_because()); }

}  // namespace

std::vector<gpu_properties> gpus() { return {}; }

std::string no_gpu_because() { return "Tally was built without CUDA"; }

memory_lines measure_memory(gpu_properties const&) { fail(); }

namespace detail {

gpu_context* open_gpu(CUstream_st*, gpu_memory*, int) { fail(); }

int gpu_holding(void const*) { return -1; }

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context&, Op const&, nan_policy, In const&, void*, bool*) {
  fail();
}

TALLY_REDUCTIONS(TALLY_KERNELS)
TALLY_WIDENED_SUMS(TALLY_KERNEL_OF)
TALLY_TRANSFORMED(TALLY_KERNEL_COMPUTED)

}  // namespace detail
}  // namespace tally
