// SPDX-License-Identifier: Apache-2.0
//
// Calls that run where their array lies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tally/cpu/quantiles.hpp"
#include "tally/cpu/scans.hpp"
#include "tally/cpu/selections.hpp"
#include "tally/gpu.hpp"
#include "tally/reduce.hpp"

namespace tally {

// An array in a GPU's memory is reduced by that GPU, on its default stream; any other by the cores:
// to copy it would take a GPU longer than they take. The bits are the same.
class automatic {
 public:
  explicit automatic(cpu cores = {}) : cores_(cores) {}

  // What ran the latest call: "cpu", "gpu:0", ...
  std::string const& ran() const { return ran_; }

  cpu use_cpu() const {
    ran_ = "cpu";
    return cores_;
  }
  gpu& use_gpu(int device) const {
    auto const index = std::size_t(device);
    ran_ = "gpu:" + std::to_string(device);
    if (index >= gpus_.size()) gpus_.resize(index + 1);
    if (!gpus_[index]) gpus_[index].emplace(gpu{.device = device});
    return *gpus_[index];
  }

 private:
  cpu cores_;
  // What calls leave, which do not change where they run.
  mutable std::vector<std::optional<gpu>> gpus_;
  mutable std::string ran_ = "cpu";
};

// Whatever is fastest for the array of each call:
//
//   auto where = tally::best();
//   float total = tally::reduce(where, x, tally::sum{});   // x in any memory
//   std::cout << total << ", by " << where.ran();
inline automatic best() { return automatic(); }

namespace detail {

inline std::string name_of_gpu(int index) { return "gpu:" + std::to_string(index); }
inline std::string name_of_memory(int device) {
  return device < 0 ? "the cpu" : name_of_gpu(device);
}
inline error no_kernel(char const* call, int device, char const* what) {
  return error(std::string(call) + ": in is in the memory of " + name_of_gpu(device) +
               ", and this program holds no kernel for " + what);
}

// The GPU that holds what an input reads, or -1: what is neither an array nor made of arrays is
// read by the cores.
template <input In>
int gpu_of(In const&) {
  return -1;
}
template <class T>
int gpu_of(array_input<T> const& in);
template <input In, class F>
int gpu_of(transform_input<In, F> const& in);
template <input A, input B>
int gpu_of(zip_input<A, B> const& in);

template <class T>
int gpu_of(array_input<T> const& in) {
  return in.count == 0 ? -1 : gpu_holding(in.data);
}
template <class T>
int gpu_of(rows<T> const& in) {
  return in.count == 0 ? -1 : gpu_holding(in.data);
}
template <input In, class F>
int gpu_of(transform_input<In, F> const& in) {
  return gpu_of(in.in);
}
template <input A, input B>
int gpu_of(zip_input<A, B> const& in) {
  int const first = gpu_of(in.first), second = gpu_of(in.second);
  if (first != second)
    throw error("reduce: in is a zip of an array of " + name_of_memory(first) + " and one of " +
                name_of_memory(second));
  return first;
}

template <>
struct reductions_on<automatic> {
  template <readable R, class Op>
  static auto value(automatic const& where, R const& in, Op const& op, nan_policy nan) {
    auto const x = input_of("reduce", "in", in);
    int const device = gpu_of(x);
    if (device < 0) return reductions_on<cpu>::value(where.use_cpu(), x, op, nan);
    if constexpr (has_kernel<Op, input_type<R>>)
      return reductions_on<gpu>::value(where.use_gpu(device), x, op, nan);
    else
      throw no_kernel("reduce", device, "the operator");
  }
  template <readable R, class Out, class Op>
  static void into(automatic const& where, R const& in, Out& out, Op const& op, nan_policy nan) {
    auto const x = input_of("reduce_into", "in", in);
    int const device = gpu_of(x);
    if (device < 0) return reductions_on<cpu>::into(where.use_cpu(), x, out, op, nan);
    if constexpr (has_kernel<Op, input_type<R>>)
      reductions_on<gpu>::into(where.use_gpu(device), x, out, op, nan);
    else
      throw no_kernel("reduce_into", device, "the operator");
  }
};

// For the cores, an array whose elements they may not see by its type: its memory is here.
template <readable R>
auto seen_here(R const& in) {
  if constexpr (input<R>)
    return in;
  else
    return span_of("reduce", "in", in);
}

template <class Keys, class Entries>
auto seen_here(keys_with_payload<Keys, Entries> const& in) {
  if constexpr (readable<Keys>)
    return keys_with_payload{seen_here(in.keys), seen_here(in.payload)};
  else
    return keys_with_payload{in.keys, seen_here(in.payload)};
}

template <>
struct scans_on<automatic> {
  template <readable R, class Out, class Op>
  static void run(automatic const& where, R const& in, std::span<Out> out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    int const device = gpu_of(input_of(call, "in", in));
    if (device < 0)
      return scans_on<cpu>::run(where.use_cpu(), seen_here(in), out, op, options, exclusive);
    if constexpr (has_scan_kernel<Op, input_type<R>, Out>)
      scans_on<gpu>::run(where.use_gpu(device), in, out, op, options, exclusive);
    else
      throw no_kernel(call, device, "the operator");
  }
  template <class T, class Out, class Op>
  static void run(automatic const& where, rows<T const> const& in, rows<Out> const& out,
                  Op const& op, scan_options<Out> const& options, bool exclusive) {
    int const device = gpu_of(in);
    if (device < 0) return scans_on<cpu>::run(where.use_cpu(), in, out, op, options, exclusive);
    if constexpr (has_scan_kernel<Op, array_input<T>, Out>)
      scans_on<gpu>::run(where.use_gpu(device), in, out, op, options, exclusive);
    else
      throw no_kernel(exclusive ? "exclusive_scan" : "inclusive_scan", device, "the operator");
  }
};

template <>
struct selections_on<automatic> {
  template <readable R>
  static auto best(automatic const& where, R const& in, std::uint64_t k,
                   top_k_options const& options) {
    int const device = gpu_of(input_of("top_k", "in", in));
    if (device < 0) return selections_on<cpu>::best(where.use_cpu(), seen_here(in), k, options);
    if constexpr (has_top_k_kernel<input_type<R>>)
      return selections_on<gpu>::best(where.use_gpu(device), in, k, options);
    else
      throw no_kernel("top_k", device, "such an input");
  }
  // Of what a GPU found it is not known how many there are: k of them if the count is not asked
  // for.
  template <readable R, class Index>
  static void into(automatic const& where, R const& in, std::uint64_t k,
                   std::span<element_of<R>> values, std::span<Index> indices, std::uint64_t* count,
                   top_k_options const& options) {
    int const device = gpu_of(input_of("top_k_into", "in", in));
    if (device < 0)
      selections_on<cpu>::into(where.use_cpu(), seen_here(in), k, values, indices, count, options);
    else if constexpr (has_top_k_kernel<input_type<R>>)
      selections_on<gpu>::into(where.use_gpu(device), in, k, values, indices, count, options);
    else
      throw no_kernel("top_k_into", device, "such an input");
  }
  template <readable R, class Entries, class P>
  static void into(automatic const& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                   std::span<element_of<R>> values, std::span<P> chosen, std::uint64_t* count,
                   top_k_options const& options) {
    int const device = gpu_of(input_of("top_k_into", "in", in.keys));
    if (in.payload.size() > 0) require_together(device, in.payload.data());
    if (device < 0)
      selections_on<cpu>::into(where.use_cpu(), seen_here(in), k, values, chosen, count, options);
    else if constexpr (has_top_k_kernel<input_type<R>>)
      selections_on<gpu>::into(where.use_gpu(device), in, k, values, chosen, count, options);
    else
      throw no_kernel("top_k_into", device, "such an input");
  }
  template <class T>
  static top_k_rows_result<T> best_of_rows(automatic const& where, rows<T const> const& in,
                                           k_of_rows const& k, top_k_options const& options) {
    int const device = gpu_of(in);
    if (device < 0) return selections_on<cpu>::best_of_rows(where.use_cpu(), in, k, options);
    return selections_on<gpu>::best_of_rows(where.use_gpu(device), in, k, options);
  }
  template <class T, class Index>
  static void rows_into(automatic const& where, rows<T const> const& in, k_of_rows const& k,
                        std::span<T> values, std::span<Index> indices, std::uint64_t* counts,
                        top_k_options const& options) {
    int const device = gpu_of(in);
    if (device < 0)
      selections_on<cpu>::rows_into(where.use_cpu(), in, k, values, indices, counts, options);
    else
      selections_on<gpu>::rows_into(where.use_gpu(device), in, k, values, indices, counts, options);
  }
  template <class T, class Entries, class P>
  static void rows_into(automatic const& where, keys_with_payload<rows<T const>, Entries> const& in,
                        k_of_rows const& k, std::span<T> values, std::span<P> chosen,
                        std::uint64_t* counts, top_k_options const& options) {
    int const device = gpu_of(in.keys);
    if (in.keys.count > 0 && in.payload.size() > 0) require_together(device, in.payload.data());
    if (device < 0)
      selections_on<cpu>::rows_into(where.use_cpu(), seen_here(in), k, values, chosen, counts,
                                    options);
    else
      selections_on<gpu>::rows_into(where.use_gpu(device), in, k, values, chosen, counts, options);
  }

 private:
  static void require_together(int device, void const* payload) {
    if (int const other = gpu_holding(payload); other != device)
      throw error("top_k_into: in is in the memory of " + name_of_memory(device) +
                  ", its payload in that of " + name_of_memory(other));
  }
};

template <>
struct quantiles_on<automatic> {
  template <class In, class... Arguments>
  static void kth(automatic const& where, In const& in, Arguments const&... arguments) {
    run(where, in,
        [&](auto calls, auto& there, auto const& x) { calls.kth(there, x, arguments...); });
  }
  template <class In, class... Arguments>
  static void kth_into(automatic const& where, In const& in, Arguments const&... arguments) {
    run(where, in,
        [&](auto calls, auto& there, auto const& x) { calls.kth_into(there, x, arguments...); });
  }
  template <class In, class... Arguments>
  static void quantiles(automatic const& where, In const& in, Arguments const&... arguments) {
    run(where, in,
        [&](auto calls, auto& there, auto const& x) { calls.quantiles(there, x, arguments...); });
  }
  template <class In, class... Arguments>
  static void quantiles_into(automatic const& where, In const& in, Arguments const&... arguments) {
    run(where, in, [&](auto calls, auto& there, auto const& x) {
      calls.quantiles_into(there, x, arguments...);
    });
  }

 private:
  // Calls f(the calls, where they run, what they read).
  template <class T, class F>
  static void run(automatic const& where, rows<T const> const& in, F f) {
    run_on(where, gpu_of(in), in, f);
  }
  template <readable R, class F>
  static void run(automatic const& where, R const& in, F f) {
    auto const x = input_of("kth_value", "in", in);
    int const device = gpu_of(x);
    if constexpr (has_top_k_kernel<input_type<R>>)
      run_on(where, device, x, f);
    else if (device < 0)
      run_on_cpu(where, x, f);
    else
      throw no_kernel("kth_value", device, "such an input");
  }
  template <class X, class F>
  static void run_on(automatic const& where, int device, X const& x, F f) {
    if (device < 0) return run_on_cpu(where, x, f);
    f(quantiles_on<gpu>{}, where.use_gpu(device), x);
  }
  template <class X, class F>
  static void run_on_cpu(automatic const& where, X const& x, F f) {
    auto cores = where.use_cpu();
    f(quantiles_on<cpu>{}, cores, x);
  }
};

}  // namespace detail
}  // namespace tally
