// SPDX-License-Identifier: Apache-2.0
//
// Instead of this folder's other sources, where there is no CUDA compiler.
#include "instances.hpp"
#include "tally/devices.hpp"
#include "tally/error.hpp"
#include "tally/gpu/pipeline.hpp"
#include "tally/gpu/states.hpp"
#include "tally/nccl.hpp"

namespace tally {
namespace {

[[noreturn]] void fail() { throw error("no GPU: " + no_gpu_because()); }

}  // namespace

std::vector<gpu_properties> gpus() { return {}; }

std::string no_gpu_because() { return "Tally was built without CUDA"; }

memory_lines measure_memory(gpu_properties const&) { fail(); }

struct nccl_communicator::state {};
nccl_id make_nccl_id() { fail(); }
nccl_communicator::nccl_communicator(nccl_id const&, int, int, int) { fail(); }
nccl_communicator::nccl_communicator(communicator&, int) { fail(); }
nccl_communicator::nccl_communicator(ncclComm*) { fail(); }
nccl_communicator::~nccl_communicator() = default;
int nccl_communicator::rank() const { fail(); }
int nccl_communicator::size() const { fail(); }
int nccl_communicator::device() const { fail(); }
void nccl_communicator::all_gather(std::span<std::byte const>, std::span<std::byte>) { fail(); }
void nccl_communicator::all_reduce(std::span<std::uint64_t>) { fail(); }
void nccl_communicator::reduce_scatter(std::span<std::uint64_t const>, std::span<std::uint64_t>) {
  fail();
}

namespace detail {

gpu_context* open_gpu(CUstream_st*, gpu_memory*, int) { fail(); }
gpu_context* open_gpu_beside(int) { fail(); }

int gpu_holding(void const*) { return -1; }

void copy_strided_by_gpu(gpu_context&, strided_copy const&) { fail(); }

template <class Step>
void for_each_index_by_gpu(gpu_context&, std::uint64_t, Step const&) {
  fail();
}

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context&, Op const&, nan_policy, In const&, void*, bool*) {
  fail();
}
template <class Op, class In>
void reduce_rows_compiled_on_gpu(gpu_context&, Op const&, nan_policy, In const&, void*,
                                 row_layout const&) {
  fail();
}

template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context&, Op const&, nan_policy, In const&, Out*,
                          gpu_scan<Out> const&) {
  fail();
}

template <class Op, class T, class Out>
void scan_rows_compiled_on_gpu(gpu_context&, Op const&, nan_policy, rows<T const> const&,
                               rows<Out> const&, gpu_scan<Out> const&) {
  fail();
}

template <class Bits>
void top_k_compiled_on_gpu(gpu_context&, device::top_k_request<array_input<Bits>> const&,
                           gpu_payload const*) {
  fail();
}

template <class Bits>
bool biased_top_k_compiled_on_gpu(gpu_context&, device::biased_request<Bits> const&) {
  fail();
}

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context&, gpu_kth_request<Bits> const&) {
  fail();
}

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context&, gpu_quantile_request<Bits> const&) {
  fail();
}

#ifdef TALLY_WITHOUT_GPUS  // and instead of src/gpu/families
template <class Op, class In>
owner<running<typename In::element>> known_compiled_on_gpu(gpu_context&, Op const&, nan_policy,
                                                           In const&, std::uint64_t) {
  fail();
}
template <class Op, class R>
void known_of_rows_compiled_on_gpu(gpu_context&, Op const&, nan_policy, R const&, std::uint64_t,
                                   owner<running<typename R::element>>*, std::uint64_t*) {
  fail();
}
TALLY_REDUCTIONS(TALLY_KNOWN)
#endif

TALLY_MISSING_STEPS(TALLY_STEP)
TALLY_ELEMENT_STEPS(TALLY_STEP)
TALLY_DIGIT_STEPS(TALLY_STEP)
TALLY_REDUCTIONS(TALLY_KERNELS)
TALLY_WIDENED_SUMS(TALLY_KERNEL_OF)
TALLY_FAST_SUM_STATES(TALLY_KERNEL_OF)
TALLY_PRODUCT_STATES(TALLY_KERNEL_OF)
TALLY_TRANSFORMED(TALLY_KERNEL_COMPUTED)
TALLY_SCANS_OF_INTEGERS(TALLY_SCAN_KERNEL)
TALLY_SCANS_OF_PRODUCTS(TALLY_SCAN_KERNEL)
TALLY_SCANS_OF_FLOATS(TALLY_SCAN_KERNEL)
#define X(O, T) TALLY_SCAN_KERNEL(O, T, T)
TALLY_EACH_floating(X, fast_sum) TALLY_EACH_element(X, minimum) TALLY_EACH_element(X, maximum)
#undef X
    TALLY_BIASED_TOP_K_KERNEL(std::uint16_t) TALLY_BIASED_TOP_K_KERNEL(std::uint32_t)
        TALLY_EACH_WIDTH(TALLY_TOP_K_KERNEL) TALLY_EACH_WIDTH(TALLY_KTH_VALUE_KERNEL)
            TALLY_EACH_WIDTH(TALLY_QUANTILE_KERNEL)

}  // namespace detail
}  // namespace tally
