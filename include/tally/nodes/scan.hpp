// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans of an array that ranks share out: each tells what its slice comes to, which takes a
// read of it, and scans it behind what the slices before it come to.
#pragma once

#include <cstring>
#include <string_view>

#include "tally/communicator.hpp"
#include "tally/gpu/states.hpp"
#include "tally/nodes/counts.hpp"
#include "tally/nodes/results.hpp"
#include "tally/scan.hpp"
#include "tally/serial.hpp"

namespace tally::detail {

// What a scan knows goes from rank to rank as it is in memory: they are one program.
template <class In, class Out>
std::string_view memory_of(running_scan<In, Out>& scan) {
  return {static_cast<char const*>(scan.known()), scan.known_bytes()};
}
template <class In, class Out, class Op>
owner<running_scan<In, Out>> scan_that_knows(Op const& op, std::string_view memory) {
  auto scan = start_scan<In, Out>(op);
  std::memcpy(scan->known(), memory.data(), memory.size());
  return scan;
}

// A GPU passes over elements by a scan whose results nobody reads; over those of a prefix sum by
// their sum's state, in one read, where that is told as bytes as the scan takes it. (Where integers
// are summed to narrower ones, the bytes of these come first.)
template <class Op, class X, class Out>
inline constexpr bool is_passed_by_state = false;
template <class X, class Out>
inline constexpr bool is_passed_by_state<sum, X, Out> =
    has_state_kernel<sum, X> && (integer<Out> || std::is_same_v<typename X::element, Out>);

template <class Where, class R, class In, class Out, class Op>
void pass_over_slice(Where& where, char const* call, R const& in, Op const& op,
                     scan_position<In, Out>& at) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Where>, gpu> &&
                is_passed_by_state<Op, input_type<R>, Out>) {
    auto const x = input_of(call, "in", in);
    known_run<In> run{reduction_of<Op, In>::start(op), 0};
    if (x.size() > 0) states_on<gpu>::append<Op>(where, run, op, x, at.nan);
    byte_writer told;
    reduction_of<Op, In>::pack(op, *run.known, told);
    auto const bytes = told.take();
    byte_reader from(bytes);
    auto const passed = start_scan<In, Out>(op);
    passed->unpack(from);
    at.go(x.size(), [&](std::uint64_t) { at.before->append(*passed, at.reverse); });
  } else {
    scanners_on<std::remove_cvref_t<Where>>::skip(where, call, in, op, at);
  }
}

template <class W>
struct scanners_on<distributed<W>> {
  // `at` is where all ranks are: before the first slice, then behind the last one. require() throws
  // what else is wrong.
  template <class X, class In, class Out, class Op, class F>
  static void scan(distributed<W> const& where, char const* call, X const& in, std::span<Out> out,
                   Op const& op, scan_position<In, Out>& at, bool exclusive, F const& require) {
    bool const had_start = at.before->has_start();
    auto const check = [&] {
      auto const x = input_of(call, "in", in);
      require_results(call, x.size(), out);
      if constexpr (requires { x.data; })
        require_scannable(call, std::span(x.data, std::size_t(x.count)), out);
      require_writable(where.where, call, "out", out);
      require();
    };
    auto const begin = at.next;
    auto here = pass_over(where, call, in, op, at, check);
    require_start(!exclusive || at.next == begin || had_start);
    scanners_on<std::remove_cvref_t<W>>::scan(where.where, call, in, out, op, here, exclusive);
  }
  template <class X, class In, class Out, class Op>
  static void scan(distributed<W> const& where, char const* call, X const& in, std::span<Out> out,
                   Op const& op, scan_position<In, Out>& at, bool exclusive) {
    scan(where, call, in, out, op, at, exclusive, [] {});
  }
  template <class X, class In, class Out, class Op>
  static void skip(distributed<W> const& where, char const* call, X const& in, Op const& op,
                   scan_position<In, Out>& at) {
    pass_over(where, call, in, op, at, [] {});
  }

 private:
  // Brings `at` behind what all ranks have, and returns where this rank's slice begins.
  template <class X, class In, class Out, class Op, class F>
  static scan_position<In, Out> pass_over(distributed<W> const& where, char const* call,
                                          X const& in, Op const& op, scan_position<In, Out>& at,
                                          F const& check) {
    scan_position<In, Out> own{at.reverse, at.nan, at.next, start_scan<In, Out>(op)};
    // An aggregate of one's own may look at the index.
    if constexpr (aggregate<Op>) {
      auto const counts = counts_of_ranks(where.ranks, [&] {
        check();
        return input_of(call, "in", in).size();
      });
      own.next = at.reverse ? at.next - counts.behind : at.next + counts.before;
    }
    auto const told = all_gather_result(where.ranks, [&] {
      check();
      auto const first = own.next;
      pass_over_slice(where.where, call, in, op, own);
      byte_writer out;
      out.put(own.next - first), out.put(memory_of(*own.before));
      return out.take();
    });
    for (std::size_t i = 0; i < told.size(); ++i) {
      auto const r = at.reverse ? told.size() - 1 - i : i;
      if (r == std::size_t(where.ranks.rank()))
        own.next = at.next, own.before = scan_that_knows<In, Out>(op, memory_of(*at.before));
      byte_reader bytes(told[r]);
      at.next += bytes.get<std::uint64_t>();
      at.before->append(*scan_that_knows<In, Out>(op, bytes.get_text()), at.reverse);
    }
    return own;
  }
};

template <class W>
struct scans_on<distributed<W>> {
  // All ranks have the total. Where the order of elements changes bits it is that of the slices'
  // totals, which may not be the last result's.
  template <readable R, class Out, class Op>
  static void run(distributed<W> const& where, R const& in, std::span<Out> out, Op const& op,
                  scan_options<Out> const& options, bool exclusive) {
    using In = element_of<R>;
    char const* const call = exclusive ? "exclusive_scan" : "inclusive_scan";
    scan_position<In, Out> at{options.reverse, options.nan, 0, start_scan<In, Out>(op)};
    if (options.init) at.before->start(*options.init);
    std::span<Out> const total(options.total, options.total ? 1 : 0);
    auto const require = [&] {
      require_aligned(call, "total", total);
      require_writable(where.where, call, "total", total);
    };
    if constexpr (aggregate<Op>)
      if (options.reverse) {
        auto const counts = counts_of_ranks(where.ranks, [&] { return out.size(); });
        at.next = counts.before + counts.own + counts.behind;
      }
    scanners_on<distributed<W>>::scan(where, call, in, out, op, at, exclusive, require);
    if (total.empty()) return;
    Out const all[] = {at.before->total()};
    write_results(where.where, all, total);
  }
  template <class T, class To, class Op>
  static void run(distributed<W> const&, rows<T> const&, rows<To> const&, Op const&,
                  scan_options<To> const&, bool) {
    static_assert(!std::is_same_v<T, T>, "a scan: ranks share out one array, not rows");
  }
};

}  // namespace tally::detail
