// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans on a GPU. Names no aggregate.
#pragma once

#include "tally/cpu/scans.hpp"
#include "tally/device/scan_shape.hpp"
#include "tally/gpu/reduce.hpp"

namespace tally::detail {

// What the library holds compiled, as reduce_compiled_on_gpu: the scan of `in` to `out`.
template <class Op, class In, class Out>
void scan_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, In const& in,
                          Out* out, gpu_scan<Out> const& how);

template <class Op, class In, class Out>
inline constexpr bool scan_is_held_on_gpu = false;
template <class Op, class T, class Out>
inline constexpr bool scan_is_held_on_gpu<Op, array_input<T>, Out> = held_scan<Op, T, Out>;
// Whether a scan can run there; see kernels_here.
template <class Op, class In, class Out>
inline constexpr bool has_scan_kernel = scan_is_held_on_gpu<Op, In, Out> || requires {
  sizeof(kernels_here<Op, typename In::element>);
};

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
                  "the library holds no kernel for this scan: include <tally/gpu_operators.cuh>, "
                  "or <tally/gpu_aggregates.cuh> for an aggregate of Tally's, in a source that "
                  "nvcc compiles");
    if constexpr (!named_aggregate<Op, element_of<R>>) {
      using bound = decltype(bind_scan<element_of<R>, Out>(op));
      if (exclusive && !has_identity<bound> && !options.init && out.size() != 0)
        throw error("exclusive_scan: init is missing, and the operator has no identity");
    }
    entered_gpu const there(where.context());
    require_reach(*there, call, "in", x);
    require_reach(*there, call, "out", out);
    require_reach(*there, call, "total", options.total);
    start(*there, op, options.nan, x, out.data(),
          gpu_scan<Out>{exclusive, options.reverse, options.init, options.total});
  }

 private:
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
