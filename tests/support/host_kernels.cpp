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

// The elements of row r.
template <class Bits>
std::span<Bits const> row_of(array_input<Bits> const& in, gpu_rows const& rows, std::uint64_t r) {
  return {in.data + rows.begin(r), std::size_t(rows.size(r))};
}
template <class Bits>
std::vector<Bits> keys_of(std::span<Bits const> row, rank_order<Bits> const& order) {
  std::vector<Bits> keys;
  for (Bits const x : row) keys.push_back(order(x));
  return keys;
}

// Calls put(place, index) of the best of row r, by their keys, of which 0 can be that of a NaN that
// does not count, and fills the row's other places.
template <class Bits, class Put>
void select_row(array_input<Bits> const& in, gpu_rows const& rows, std::uint64_t r,
                rank_order<Bits> const& order, gpu_selection<Bits> const& how, Put put) {
  auto const row = row_of(in, rows, r);
  auto const keys = keys_of(row, order);
  std::uint64_t count = 0;
  for (auto const index :
       top_k(cpu{}, keys, how.k_of(r, row.size()), {.sorted = how.sorted, .distinct = how.distinct})
           .indices) {
    if (order.skips && keys[std::size_t(index)] == 0) continue;
    how.values[r * how.most + count] = row[std::size_t(index)];
    put(r * how.most + count++, index);
  }
  if (how.counts) how.counts[r] = count;
  for (; count < how.most; ++count) {
    how.values[r * how.most + count] = how.missing;
    put(r * how.most + count, -1);
  }
}

template <class Bits>
void top_k_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const& rows,
                           rank_order<Bits> const& order, gpu_selection<Bits> const& how) {
  for (std::uint64_t r = 0; r < rows.count; ++r)
    select_row(in, rows, r, order, how, [&](std::uint64_t place, std::int64_t index) {
      if (how.indices) how.indices[place] = index;
      if (how.short_indices) how.short_indices[place] = std::int32_t(index);
    });
}

template <class Bits>
void top_k_with_payload_compiled_on_gpu(gpu_context&, array_input<Bits> const& in,
                                        gpu_rows const& rows, rank_order<Bits> const& order,
                                        gpu_selection<Bits> const& how,
                                        gpu_payload const& payload) {
  auto const* const entries = static_cast<std::byte const*>(payload.entries);
  auto* const chosen = static_cast<std::byte*>(payload.chosen);
  for (std::uint64_t r = 0; r < rows.count; ++r)
    select_row(in, rows, r, order, how, [&](std::uint64_t place, std::int64_t index) {
      auto* const to = chosen + place * payload.bytes;
      if (index < 0)
        std::memset(to, 0, payload.bytes);
      else
        std::memcpy(to, entries + (rows.begin(r) + std::uint64_t(index)) * payload.bytes,
                    payload.bytes);
    });
}

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const& rows,
                               rank_order<Bits> const& order, gpu_kth<Bits> const& how) {
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = row_of(in, rows, r);
    how.values[r] = how.missing, how.indices[r] = -1;
    if (how.k > row.size()) continue;
    auto const found = kth_value(cpu{}, keys_of(row, order), how.k, {.order = largest});
    if (order.skips && found.value == 0) continue;
    how.values[r] = row[std::size_t(found.index)], how.indices[r] = found.index;
  }
}

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context&, array_input<Bits> const& in, gpu_rows const& all,
                               rank_order<Bits> const&, gpu_quantiles const& how) {
  visit(how.elements, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == sizeof(Bits)) {
      rows<T> const x{reinterpret_cast<T const*>(in.data),
                      all.count,
                      all.length,
                      all.stride,
                      all.starts,
                      all.lengths};
      quantile_options const options{how.method, how.skips_nan ? skip : propagate};
      for (unsigned i = 0; i < how.count; ++i) {
        fraction const exact{how.q[i].numerator, how.q[i].denominator};
        auto const found = how.q[i].is_fraction()
                               ? quantile(cpu{}, x, exact, options)
                               : quantile(cpu{}, x, how.q[i].as_double(), options);
        for (std::uint64_t r = 0; r < all.count; ++r)
          static_cast<quantile_of<T>*>(how.out)[r * how.places + how.first + i] =
              found[std::size_t(r)];
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
