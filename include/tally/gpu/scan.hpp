// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans on a GPU. Names no aggregate.
#pragma once

#include "tally/cpu/scans.hpp"
#include "tally/device/scan/request.hpp"
#include "tally/gpu/reduce.hpp"

namespace tally::detail {

// What the library holds compiled, as reduce_compiled_on_gpu: the scan of `in` to `out`.
template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                          Out* out, gpu_scan<Out> const& how);
// And of each row of an array.
template <class Op, class T, class Out>
void scan_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan,
                               rows<T const> const& in, rows<Out> const& out,
                               gpu_scan<Out> const& how);

template <class Op, class In, class Out>
inline constexpr bool scan_is_held_on_gpu = false;
template <class Op, class T, class Out>
inline constexpr bool scan_is_held_on_gpu<Op, array_input<T>, Out> = held_scan<Op, T, Out>;
// Complete where kernels of other scans are compiled where they are used; see reductions_here.
template <class Op, class T>
struct scans_here;
template <class Op, class In, class Out>
inline constexpr bool has_scan_kernel =
    scan_is_held_on_gpu<Op, In, Out> || requires { sizeof(scans_here<Op, typename In::element>); };

template <>
struct scans_on<gpu> {
  // `total` is in memory that the GPU can write.
  template <readable R, class Out, class Op>
  static void run(gpu const& where, R const& in, std::span<Out> out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    auto const x = input_of(call, "in", in);
    require(call, x, out, options);
    static_assert(has_scan_kernel<Op, input_type<R>, Out>,
                  "the library holds no kernel for this scan: include <tally/gpu_scan.cuh>, "
                  "or <tally/gpu_aggregates.cuh> for an aggregate of Tally's, in a source that "
                  "nvcc compiles");
    require_start<element_of<R>>(op, options, exclusive && out.size() != 0);
    entered_gpu const there(where.context());
    require_reach(*there, call, "in", x);
    require_reach(*there, call, "out", out);
    require_reach(*there, call, "total", options.total);
    start(*there, op, options.nan, x, out.data(),
          gpu_scan<Out>{exclusive, options.reverse, options.init, options.total});
  }

  // total[r] takes the result over row r.
  template <class T, class Out, class Op>
  static void run(gpu const& where, rows<T const> const& in, rows<Out> const& out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    static_assert(has_scan_kernel<Op, array_input<T>, Out>,
                  "the library holds no kernel for this scan: include <tally/gpu_scan.cuh>, "
                  "or <tally/gpu_aggregates.cuh> for an aggregate of Tally's, in a source that "
                  "nvcc compiles");
    require_rows_to_scan(call, in, out);
    require_start<T>(op, options, exclusive && in.count * in.length != 0);
    auto const elements = std::size_t(in.count * in.length);
    entered_gpu const there(where.context());
    require_reach(*there, call, "in", std::span(in.data, elements));
    require_reach(*there, call, "out", std::span(out.data, elements));
    require_reach(*there, call, in);
    require_reach(*there, call, out);
    require_reach(*there, call, "total", options.total);
    gpu_scan<Out> const how{exclusive, options.reverse, options.init, options.total};
    if constexpr (scan_is_held_on_gpu<Op, array_input<T>, Out>)
      scan_rows_compiled_on_gpu<Op, T, Out>(*there, op, options.nan, in, out, how);
    else
      scan_rows_on_gpu(*there, bind_scan<T, Out>(op), options.nan,
                       array_input<T>{in.data, in.count}, in, out.data, out, how);
  }

 private:
  // An exclusive scan begins with something.
  template <class T, class Out, class Op>
  static void require_start(Op const& op, scan_options<Out> const& options, bool exclusive) {
    if constexpr (!named_aggregate<Op, T>) {
      using bound = decltype(bind_scan<T, Out>(op));
      if (exclusive && !has_identity<bound> && !options.init)
        throw error("exclusive_scan: init is missing, and the operator has no identity");
    }
  }
  template <class In, class Out>
  static void require(char const* call, In const& in, std::span<Out> out,
                      scan_options<Out> const& options) {
    if (in.size() != out.size())
      throw error(std::string(call) + ": out has " + std::to_string(out.size()) +
                  " elements, in has " + std::to_string(in.size()));
    require_aligned(call, "out", out);
    if (options.total) require_aligned(call, "total", std::span<Out>(options.total, 1));
    if constexpr (requires { in.data; })
      require_scannable(call, std::span(in.data, std::size_t(in.count)), out);
  }
  template <class Op, class In, class Out>
  static void start(gpu_context& context, Op const& op, nan_policy nan, In const& in, Out* out,
                    gpu_scan<Out> const& how) {
    if constexpr (scan_is_held_on_gpu<Op, In, Out>)
      scan_compiled_on_gpu<Op, In, Out>(context, op, nan, in, out, how);
    else
      scan_on_gpu(context, bind_scan<typename In::element, Out>(op), nan, in, out, how);
  }
};

}  // namespace tally::detail
