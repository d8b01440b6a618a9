// SPDX-License-Identifier: Apache-2.0
//
// Instead of src/cuda/, for a command that finds a GPU where there is none: cores do its work, in
// memory of the host. Of that it says that TALLY_HOST_GPU_BYTES are free.
#include "src/cuda/instances.hpp"
#include "support/host_gpu.hpp"
#include "tally/devices.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

support::host_memory& memory() {
  static support::host_memory all{.allocations = {}, .entered = 0, .free_bytes = [] {
                                    auto const* const told = std::getenv("TALLY_HOST_GPU_BYTES");
                                    return told ? std::strtoull(told, nullptr, 10)
                                                : std::size_t(1) << 40;
                                  }()};
  return all;
}

}  // namespace

std::vector<gpu_properties> gpus() { return {gpu_properties{}}; }

std::string no_gpu_because() { return {}; }

memory_lines measure_memory(gpu_properties const&) { return {}; }

namespace detail {

gpu_context* open_gpu(CUstream_st*, gpu_memory*, int device) {
  if (device > 0)
    throw error("gpu: device = " + std::to_string(device) + ", where there are 1 from 0 on");
  return new support::host_gpu(memory());
}

int gpu_holding(void const*) { return -1; }

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context&, Op const& op, nan_policy nan, In const& in, void* result,
                            bool* found) {
  using type = typename Op::template result<typename In::element>;
  try {
    *static_cast<type*>(result) = reduce(cpu{}, in, op, {nan});
    if (found) *found = true;
  } catch (error const&) {  // no element counts
    if (found) *found = false;
  }
}

template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context&, Op const& op, nan_policy nan, In const& in, Out* out,
                          gpu_scan<Out> const& how) {
  std::span const x(in.data, std::size_t(in.count));
  scans_on<cpu>::run(cpu{}, x, std::span(out, x.size()), op,
                     {.init = how.init, .reverse = how.reverse, .total = how.total, .nan = nan},
                     how.exclusive);
}

// Of one array, by the keys of its elements, of which 0 is that of a NaN that does not count: the
// command asks for nothing else.
template <class Bits>
void top_k_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const&,
                           rank_order<Bits> const& order, gpu_selection<Bits> const& how) {
  std::vector<Bits> keys(std::size_t(in.count));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = order(in[i]);
  std::uint64_t count = 0;
  for (auto const index :
       top_k(cpu{}, keys, how.most, {.sorted = how.sorted, .distinct = how.distinct}).indices) {
    if (order.skips && keys[std::size_t(index)] == 0) continue;
    how.values[count] = in[std::uint64_t(index)], how.indices[count++] = index;
  }
  *how.counts = count;
}

template <class Bits>
void top_k_with_payload_compiled_on_gpu(gpu_context&, array_input<Bits> const&, gpu_rows const&,
                                        rank_order<Bits> const&, gpu_selection<Bits> const&,
                                        gpu_payload const&) {
  throw error("host_kernels: the command asks for no payload");
}

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const&,
                               rank_order<Bits> const& order, gpu_kth<Bits> const& how) {
  std::vector<Bits> keys(std::size_t(in.count));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = order(in[i]);
  auto const found = kth_value(cpu{}, keys, how.k, {.order = largest});
  bool const counts = !order.skips || found.value != 0;
  *how.values = counts ? in[std::uint64_t(found.index)] : how.missing;
  *how.indices = counts ? found.index : -1;
}

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const&,
                               rank_order<Bits> const&, gpu_quantiles const& how) {
  visit(how.elements, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == sizeof(Bits)) {
      std::span const x(reinterpret_cast<T const*>(in.data), std::size_t(in.count));
      std::span const to(static_cast<quantile_of<T>*>(how.out) + how.first, how.count);
      for (unsigned i = 0; i < how.count; ++i) {
        fraction const exact{how.q[i].numerator, how.q[i].denominator};
        double const rounded = how.q[i].as_double();
        quantile_options const options{how.method, how.skips_nan ? skip : propagate};
        to[i] = how.q[i].is_fraction() ? quantile(cpu{}, x, exact, options)
                                       : quantile(cpu{}, x, rounded, options);
      }
    }
  });
}

TALLY_REDUCTIONS(TALLY_KERNELS)
TALLY_WIDENED_SUMS(TALLY_KERNEL_OF)
TALLY_TRANSFORMED(TALLY_KERNEL_COMPUTED)
TALLY_SCANS_OF_INTEGERS(TALLY_SCAN_KERNEL)
TALLY_SCANS_OF_FLOATS(TALLY_SCAN_KERNEL)
#define X(O, T) TALLY_SCAN_KERNEL(O, T, T)
TALLY_EACH_floating(X, fast_sum) TALLY_EACH_element(X, minimum) TALLY_EACH_element(X, maximum)
#undef X
    TALLY_EACH_WIDTH(TALLY_TOP_K_KERNEL) TALLY_EACH_WIDTH(TALLY_KTH_VALUE_KERNEL)
        TALLY_EACH_WIDTH(TALLY_QUANTILE_KERNEL)

}  // namespace detail
}  // namespace tally
