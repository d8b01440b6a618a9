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

// The GPU that holds what an input reads, or -1: what is neither an array nor made of arrays is
// read by the cores.
template <input In>
int gpu_of(In const& in) {
  std::optional<int> found;
  for_arrays_of(in, [&](void const* data) {
    int const device = data ? gpu_holding(data) : -1;
    if (found.value_or(device) != device)
      throw error("reduce: in is a zip of an array of " + name_of_memory(*found) + " and one of " +
                  name_of_memory(device));
    found = device;
  });
  return *found;
}
// The same of an array, an input or rows, with a payload or without.
template <class In>
int gpu_holding_all(char const* call, In const& in) {
  if constexpr (is_rows<In>) {
    return in.count == 0 ? -1 : gpu_holding(in.data);
  } else if constexpr (readable_rows<In>) {
    std::optional<int> found;
    in.for_memory([&](auto const& all) {
      int const device = gpu_holding_all(call, all);
      if (found.value_or(device) != device)
        throw error(std::string(call) + ": in is a zip of rows of " + name_of_memory(*found) +
                    " and rows of " + name_of_memory(device));
      found = device;
    });
    return *found;
  } else if constexpr (readable<In>) {
    return gpu_of(input_of(call, "in", in));
  } else {
    int const device = gpu_holding_all(call, in.keys);
    bool empty = in.payload.size() == 0;
    if constexpr (!readable<decltype(in.keys)>) empty = empty || in.keys.count == 0;
    if (int const other = empty ? device : gpu_holding(in.payload.data()); other != device)
      throw error(std::string(call) + ": in is in the memory of " + name_of_memory(device) +
                  ", its payload in that of " + name_of_memory(other));
    return device;
  }
}

// For the cores, an array whose elements they may not see by its type: its memory is here.
template <class In>
auto seen_here(In const& in) {
  if constexpr (readable_rows<In> || input<In>)
    return in;
  else if constexpr (readable<In>)
    return span_of("reduce", "in", in);
  else
    return keys_with_payload{seen_here(in.keys), seen_here(in.payload)};
}

// Calls f(the calls, where they run, what they read) for where `in` lies. `without` is what has no
// kernel if this program holds none.
template <class OnCpu, class OnGpu, bool HasKernel, class In, class F>
auto run_where_it_lies(automatic const& where, char const* call, char const* without, In const& in,
                       F const& f) {
  int const device = gpu_holding_all(call, in);
  if (device < 0) {
    cpu cores = where.use_cpu();
    return f(OnCpu{}, cores, seen_here(in));
  }
  if constexpr (HasKernel)
    return f(OnGpu{}, where.use_gpu(device), in);
  else
    throw error(std::string(call) + ": in is in the memory of " + name_of_gpu(device) +
                ", and this program holds no kernel for " + without);
}

template <>
struct reductions_on<automatic> {
  template <class R, class Op>
  static auto value(automatic const& where, R const& in, Op const& op, nan_policy nan) {
    return run<Op>(where, in, [&](auto calls, auto& there, auto const& x) {
      return calls.value(there, x, op, nan);
    });
  }
  template <class R, class Out, class Op>
  static void into(automatic const& where, R const& in, Out& out, Op const& op, nan_policy nan) {
    run<Op>(where, in,
            [&](auto calls, auto& there, auto const& x) { calls.into(there, x, out, op, nan); });
  }

 private:
  template <class Op, class R, class F>
  static auto run(automatic const& where, R const& in, F const& f) {
    return run_where_it_lies<reductions_on<cpu>, reductions_on<gpu>, is_held_of<Op, R>()>(
        where, "reduce", "the operator", in, f);
  }
  template <class Op, class R>
  static constexpr bool is_held_of() {
    if constexpr (readable_rows<R>)
      return has_row_kernel<Op, R>;
    else
      return has_kernel<Op, input_type<R>>;
  }
};

template <>
struct states_on<automatic> {
  template <class Op, class In, class F>
  static void visit(automatic const& where, In const& in, F const& f) {
    run_where_it_lies<states_on<cpu>, states_on<gpu>, is_held_of<Op, In>()>(
        where, "reduce", "the state", in, [&](auto, auto& there, auto const& x) { f(there, x); });
  }

 private:
  template <class Op, class In>
  static constexpr bool is_held_of() {
    if constexpr (readable_rows<In>)
      return has_state_kernel<Op, In>;
    else
      return has_state_kernel<Op, input_type<In>>;
  }
};

template <>
struct scans_on<automatic> {
  template <class In, class To, class Op, class Out>
  static void run(automatic const& where, In const& in, To const& out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    run_where_it_lies<scans_on<cpu>, scans_on<gpu>, has_scan_kernel<Op, gpu_input<In>, Out>>(
        where, exclusive ? "exclusive_scan" : "inclusive_scan", "the operator", in,
        [&](auto calls, auto& there, auto const& x) {
          calls.run(there, x, out, op, options, exclusive);
        });
  }
};

template <>
struct scanners_on<automatic> {
  template <class X, class In, class Out, class Op>
  static void scan(automatic const& where, char const* call, X const& in, std::span<Out> out,
                   Op const& op, scan_position<In, Out>& at, bool exclusive) {
    run_where_it_lies<scanners_on<cpu>, scanners_on<gpu>, has_scan_kernel<Op, gpu_input<X>, Out>>(
        where, call, "the operator", in, [&](auto calls, auto& there, auto const& x) {
          calls.scan(there, call, x, out, op, at, exclusive);
        });
  }
  template <class X, class In, class Out, class Op>
  static void skip(automatic const& where, char const* call, X const& in, Op const& op,
                   scan_position<In, Out>& at) {
    run_where_it_lies<scanners_on<cpu>, scanners_on<gpu>, has_scan_kernel<Op, gpu_input<X>, Out>>(
        where, call, "the operator", in,
        [&](auto calls, auto& there, auto const& x) { calls.skip(there, call, x, op, at); });
  }
};

template <>
struct selections_on<automatic> {
  template <class In, class... Arguments>
  static auto best(automatic const& where, In const& in, Arguments const&... arguments) {
    return run(where, "top_k", in, [&](auto calls, auto& there, auto const& x) {
      return calls.best(there, x, arguments...);
    });
  }
  // Of what a GPU found it is not known how many there are: k of them if the count is not asked
  // for.
  template <class In, class... Arguments>
  static void into(automatic const& where, In const& in, Arguments const&... arguments) {
    run(where, "top_k_into", in,
        [&](auto calls, auto& there, auto const& x) { calls.into(there, x, arguments...); });
  }

 private:
  template <class In, class F>
  static auto run(automatic const& where, char const* call, In const& in, F const& f) {
    return run_where_it_lies<selections_on<cpu>, selections_on<gpu>,
                             has_top_k_kernel<gpu_input<keys_of<In>>>>(where, call, "such an input",
                                                                       in, f);
  }
};

template <>
struct selectors_on<automatic> {
  template <class T, readable R>
  static void add(automatic const& where, selector<T>& all, R const& chunk) {
    run_where_it_lies<selectors_on<cpu>, selectors_on<gpu>, has_top_k_kernel<gpu_input<R>>>(
        where, "selector", "such an input", chunk,
        [&](auto calls, auto& there, auto const& x) { calls.add(there, all, x); });
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
  template <class In, class F>
  static void run(automatic const& where, In const& in, F const& f) {
    run_where_it_lies<quantiles_on<cpu>, quantiles_on<gpu>, has_top_k_kernel<gpu_input<In>>>(
        where, "kth_value", "such an input", in, f);
  }
};

}  // namespace detail
}  // namespace tally
