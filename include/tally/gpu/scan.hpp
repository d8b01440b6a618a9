// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans on a GPU. Names no aggregate.
#pragma once

#include <cstring>

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
    start(where, call, x, out, op, options, exclusive,
          [&](auto& there, auto const& how) { run_kernel(there, op, options.nan, x, out, how); });
  }

  // A chunk of a scan in instalments.
  template <readable R, class In, class Out, class Op>
  static void go_on(gpu const& where, char const* call, R const& in, std::span<Out> out,
                    Op const& op, scan_position<In, Out>& at, bool exclusive) {
    static_assert(named_aggregate<Op, In> || !aggregate<Op>,
                  "a scanner on a gpu takes operators, and aggregates of Tally's");
    using X = input_type<R>;
    X const x = input_of(call, "in", in);
    at.require(call, x.size(), out, exclusive);
    if constexpr (requires { x.data; })
      require_scannable(call, std::span(x.data, std::size_t(x.count)), out);
    if (x.size() == 0) return;
    scan_options<Out> const options{.reverse = at.reverse, .nan = at.nan};
    start(where, call, x, out, op, options, false, [&](auto& there, auto how) {
      how.exclusive = exclusive;
      how.before = at.before->known();
      how.after = there.result_slot(at.before->known_bytes());
      std::memcpy(how.after, how.before, at.before->known_bytes());
      at.go(x.size(), [&](std::uint64_t) { run_kernel(there, op, at.nan, x, out, how); });
      there.synchronise();
      std::memcpy(at.before->known(), how.after, at.before->known_bytes());
    });
  }

  // A chunk whose results nobody wants: they go, a part after the other, where they soon are
  // overwritten, which takes little more than to read it.
  template <readable R, class In, class Out, class Op>
  static void skip(gpu const& where, char const* call, R const& in, Op const& op,
                   scan_position<In, Out>& at) {
    constexpr std::uint64_t at_once = std::uint64_t(1) << 24;
    auto const x = input_of(call, "in", in);
    auto const n = x.size();
    std::uint64_t const part = is_array<decltype(x)> && n > at_once ? at_once : n;
    gpu_allocation const room(where.context(), std::size_t(part * sizeof(Out)));
    auto* const results = reinterpret_cast<Out*>(room.data());
    for (std::uint64_t done = 0; done < n;) {
      auto const count = n - done < part ? n - done : part;
      auto next = x;
      if constexpr (is_array<decltype(x)>)
        next = {x.data + (at.reverse ? n - done - count : done), count};
      go_on(where, call, next, std::span(results, std::size_t(count)), op, at, false);
      done += count;
    }
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
  template <class X>
  static constexpr bool is_array = requires(X const& x) { x.data; };

  template <class In, class Out, class Op>
  static void run_kernel(gpu_context& there, Op const& op, nan_policy nan, In const& x,
                         std::span<Out> out, gpu_scan<Out> const& how) {
    if constexpr (scan_is_held_on_gpu<Op, In, Out>)
      scan_compiled_on_gpu<Op, In, Out>(there, op, nan, x, out.data(), how);
    else
      scan_on_gpu(there, bind_scan<typename In::element, Out>(op), nan, x, out.data(), how);
  }
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

template <>
struct scanners_on<gpu> {
  template <class X, class In, class Out, class Op>
  static void scan(gpu const& where, char const* call, X const& in, std::span<Out> out,
                   Op const& op, scan_position<In, Out>& at, bool exclusive) {
    scans_on<gpu>::go_on(where, call, in, out, op, at, exclusive);
  }
  template <class X, class In, class Out, class Op>
  static void skip(gpu const& where, char const* call, X const& in, Op const& op,
                   scan_position<In, Out>& at) {
    scans_on<gpu>::skip(where, call, in, op, at);
  }
};

}  // namespace tally::detail
