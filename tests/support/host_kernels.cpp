// SPDX-License-Identifier: Apache-2.0
//
// Instead of src/cuda/, for a command that finds a GPU where there is none: cores do its work, in
// memory of the host. It says that there are TALLY_HOST_GPUS, and TALLY_HOST_GPU_BYTES free of
// each.
#include "src/cuda/instances.hpp"
#include "support/host_gpu.hpp"
#include "tally/device/launch_context.cuh"
#include "tally/devices.hpp"
#include "tally/gpu/pipeline.hpp"
#include "tally/tally.hpp"

namespace tally {
namespace {

std::size_t number_named(char const* name, std::size_t otherwise) {
  auto const* const told = std::getenv(name);
  return told ? std::strtoull(told, nullptr, 10) : otherwise;
}

struct own_memory {
  support::host_memory own{
      .allocations = {}, .free_bytes = number_named("TALLY_HOST_GPU_BYTES", std::size_t(1) << 40)};
};
class one_of_several final : own_memory, public support::host_gpu {
 public:
  explicit one_of_several(int device) : host_gpu(own), device_(device) {}
  int device() const override { return device_; }

 private:
  int device_;
};

}  // namespace

std::vector<gpu_properties> gpus() {
  std::vector<gpu_properties> all(number_named("TALLY_HOST_GPUS", 1));
  for (std::size_t i = 0; i < all.size(); ++i) all[i].index = int(i);
  return all;
}

std::string no_gpu_because() { return {}; }

memory_lines measure_memory(gpu_properties const&) { return {}; }

namespace detail {

gpu_context* open_gpu(CUstream_st*, gpu_memory*, int device) {
  auto const count = gpus().size();
  if (device >= int(count))
    throw error("gpu: device = " + std::to_string(device) + ", where there are " +
                std::to_string(count) + " from 0 on");
  return new one_of_several(std::max(device, 0));
}
gpu_context* open_gpu_beside(int device) { return open_gpu(nullptr, nullptr, device); }

int gpu_holding(void const*) { return -1; }

void copy_strided_by_gpu(gpu_context&, strided_copy const& copy) {
  for (std::uint64_t i = copy.first; i < copy.first + copy.count; ++i) {
    auto const at = place_of(copy, i);
    std::memcpy(copy.to + at.to, copy.from + at.from, copy.bytes);
  }
}

template <class Step>
void for_each_index_by_gpu(gpu_context&, std::uint64_t count, Step const& step) {
  for (std::uint64_t i = 0; i < count; ++i) step(i);
}

void explain(gpu_context& context) { explain(context, launch_plan{"as cores do", 1, 1}, 0); }

template <class Op, class In>
void reduce_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                            void* result, bool* found) {
  explain(context);
  using type = typename Op::template result<typename In::element>;
  try {
    *static_cast<type*>(result) = reduce(cpu{}, in, op, {nan});
    if (found) *found = true;
  } catch (error const&) {  // no element counts
    if (found) *found = false;
  }
}

template <class Op, class In>
void reduce_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                                 void* out, row_layout const& places) {
  explain(context);
  using type = typename Op::template result<typename In::element>;
  reduce_into(cpu{}, in, rows<type>(static_cast<type*>(out), places), op, {nan});
}

template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                          Out* out, gpu_scan<Out> const& how) {
  explain(context);
  std::span const x(in.data, std::size_t(in.count));
  if (how.before) {
    auto const scan = start_scan<typename In::element, Out>(op);
    std::memcpy(scan->known(), how.before, scan->known_bytes());
    scan->scan(cpu{}, x.data(), out, x.size(), 0, {how.exclusive, how.reverse}, nan);
    std::memcpy(how.after, scan->known(), scan->known_bytes());
    return;
  }
  scans_on<cpu>::run(cpu{}, x, std::span(out, x.size()), op,
                     {.init = how.init, .reverse = how.reverse, .total = how.total, .nan = nan},
                     how.exclusive);
}

template <class Op, class T, class Out>
void scan_rows_compiled_on_gpu(gpu_context&, Op const& op, nan_policy nan, rows<T const> const& in,
                               rows<Out> const& out, gpu_scan<Out> const& how) {
  scans_on<cpu>::run(cpu{}, in, out, op,
                     {.init = how.init, .reverse = how.reverse, .total = how.total, .nan = nan},
                     how.exclusive);
}

// What an element is chosen by: itself, or its sum with what lies at its place or in its column.
template <class Bits>
Bits chosen_by(array_input<Bits> const&, Bits x, std::int64_t, std::size_t) {
  return x;
}
template <class Bits>
Bits chosen_by(device::biased_input<Bits> const& in, Bits x, std::int64_t place,
               std::size_t column) {
  auto const sum = [&]<class T>(std::type_identity<T>) {
    Bits const more = in.bias[in.of_each_row ? place : std::int64_t(column)];
    return to_bits(T(double(from_bits<T>(x)) + double(from_bits<T>(more))));
  };
  if constexpr (sizeof(Bits) == 4)
    return sum(std::type_identity<float>());
  else
    return in.are_float16 ? sum(std::type_identity<float16>())
                          : sum(std::type_identity<bfloat16>());
}

// Calls f(row number, elements, keys) for each row; the key 0 can be that of a NaN that does not
// count.
template <class Call, class F>
void for_rows_of_keys(Call const& call, F f) {
  for (std::uint64_t r = 0; r < call.rows.count; ++r) {
    std::vector<typename Call::bits> elements(std::size_t(call.rows.size(r))), keys;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      auto const place = call.rows.begin(r) + std::int64_t(i) * call.rows.step;
      elements[i] = call.in.data[place];
      keys.push_back(call.order(chosen_by(call.in, elements[i], place, i)));
    }
    f(r, elements, keys);
  }
}

// Puts what belongs to an element of row r into a place; zeros if there is none.
void put_entry(gpu_payload const& payload, row_layout const& rows, std::uint64_t r,
               std::uint64_t place, std::int64_t index) {
  auto* const to = static_cast<std::byte*>(payload.chosen) + place * payload.bytes;
  auto const* const entries = static_cast<std::byte const*>(payload.entries);
  if (index < 0)
    std::memset(to, 0, payload.bytes);
  else
    std::memcpy(to, entries + (rows.begin(r) + index * rows.step) * std::int64_t(payload.bytes),
                payload.bytes);
}

template <class Call>
void select(Call const& call, gpu_payload const* payload) {
  using bits = typename Call::bits;
  auto const& how = call.how;
  for_rows_of_keys(call, [&](std::uint64_t r, auto const& elements, auto const& keys) {
    std::uint64_t place = r * how.most;
    auto const put = [&](bits value, std::int64_t index) {
      how.put(place, value, index);
      if (payload) put_entry(*payload, call.rows, r, place, index);
      ++place;
    };
    auto const k = how.k_of(r, keys.size());
    for (auto const index :
         top_k(cpu{}, keys, k, {.sorted = how.sorted, .distinct = how.distinct}).indices)
      if (!call.order.skips || keys[std::size_t(index)] != 0)
        put(elements[std::size_t(index)], index);
    if (how.counts) how.counts[r] = place - r * how.most;
    while (place < (r + 1) * how.most) put(how.missing, -1);
  });
}

template <class Bits>
void top_k_compiled_on_gpu(gpu_context& context,
                           device::top_k_request<array_input<Bits>> const& call,
                           gpu_payload const* payload) {
  explain(context);
  select(call, payload);
}
template <class Bits>
bool biased_top_k_compiled_on_gpu(gpu_context&, device::biased_request<Bits> const& call) {
  if (call.rows.length > 1024 || call.how.most > 32 || call.rows.is_apart() || call.how.distinct)
    return false;
  select(call, nullptr);
  return true;
}

template <class Bits>
void kth_value_compiled_on_gpu(gpu_context&, gpu_kth_request<Bits> const& call) {
  auto const& how = call.how;
  for_rows_of_keys(call, [&](std::uint64_t r, auto const& elements, auto const& keys) {
    how.values[r] = how.missing, how.indices[r] = -1;
    if (how.k > keys.size()) return;
    auto const found = kth_value(cpu{}, keys, how.k, {.order = largest});
    if (call.order.skips && found.value == 0) return;
    how.values[r] = elements[std::size_t(found.index)], how.indices[r] = found.index;
  });
}

template <class Bits>
void quantiles_compiled_on_gpu(gpu_context& context, gpu_quantile_request<Bits> const& call) {
  explain(context);
  auto const& how = call.how;
  visit(how.elements, [&]<class T>(std::type_identity<T>) {
    if constexpr (sizeof(T) == sizeof(Bits)) {
      rows<T const> const x(reinterpret_cast<T const*>(call.in.data), call.rows);
      quantile_options const options{how.method, how.skips_nan ? skip : propagate};
      auto const put = [&]<class Out>(std::type_identity<Out> type) {
        for (unsigned i = 0; i < how.count; ++i) {
          fraction const exact{how.q[i].numerator, how.q[i].denominator};
          double const rounded = how.q[i].as_double();
          auto const one = how.q[i].is_fraction() ? quantile_places(std::span(&exact, 1))
                                                  : quantile_places(std::span(&rounded, 1));
          cpu here;
          auto const found = found_quantiles("quantile", here, x, one, options, type);
          for (std::size_t r = 0; r < found.size(); ++r)
            static_cast<Out*>(how.out)[r * how.places + how.first + i] = Out(found[r]);
        }
      };
      how.of_elements ? put(std::type_identity<T>()) : put(std::type_identity<quantile_of<T>>());
    }
  });
}

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
