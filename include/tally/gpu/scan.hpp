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
    using In = input_type<R>;
    In const x = input_of(call, "in", in);
    require_results(call, x.size(), out);
    if (options.total) require_aligned(call, "total", std::span<Out>(options.total, 1));
    if constexpr (requires { x.data; })
      require_scannable(call, std::span(x.data, std::size_t(x.count)), out);
    start(where, call, x, out, op, options, exclusive, [&](auto& there, auto const& how) {
      if constexpr (scan_is_held_on_gpu<Op, In, Out>)
        scan_compiled_on_gpu<Op, In, Out>(there, op, options.nan, x, out.data(), how);
      else
        scan_on_gpu(there, bind_scan<element_of<R>, Out>(op), options.nan, x, out.data(), how);
    });
  }

  // total[r] takes the result over row r.
  template <class T, class Out, class Op>
  static void run(gpu const& where, rows<T const> const& in, rows<Out> const& out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    require_rows_to_scan(call, in, out);
    require_apart(call, in_memory(in), in_memory(out), false);
    if (options.total) require_aligned(call, "total", std::span<Out>(options.total, 1));
    array_input<T> const x{in.data, in.count * in.length};
    std::span const to(out.data, std::size_t(x.count));
    start(where, call, x, to, op, options, exclusive, [&](auto& there, auto const& how) {
      require_reach(there, call, in);
      require_reach(there, call, out);
      if constexpr (scan_is_held_on_gpu<Op, array_input<T>, Out>)
        scan_rows_compiled_on_gpu<Op, T, Out>(there, op, options.nan, in, out, how);
      else
        scan_rows_on_gpu(there, bind_scan<T, Out>(op), options.nan, x, in, out.data, out, how);
    });
  }

 private:
  // Calls scan(context, how), if all that it reads and writes is where it can.
  template <class In, class Out, class Op, class F>
  static void start(gpu const& where, char const* call, In const& x, std::span<Out> out,
                    Op const& op, scan_options<Out> const& options, bool exclusive, F const& scan) {
    static_assert(has_scan_kernel<Op, In, Out>,
                  "the library holds no kernel for this scan: include <tally/gpu_scan.cuh>, "
                  "or <tally/gpu_aggregates.cuh> for an aggregate of Tally's, in a source that "
                  "nvcc compiles");
    using T = typename In::element;
    if constexpr (!named_aggregate<Op, T>)
      require_start(!exclusive || x.size() == 0 || options.init ||
                    has_identity<decltype(bind_scan<T, Out>(op))>);
    entered_gpu const there(where.context());
    require_reach(*there, call, "in", x);
    require_reach(*there, call, "out", out);
    require_reach(*there, call, "total", options.total);
    scan(*there, gpu_scan<Out>{exclusive, options.reverse, options.init, options.total});
  }
};

}  // namespace tally::detail
