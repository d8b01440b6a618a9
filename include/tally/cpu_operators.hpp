// SPDX-License-Identifier: Apache-2.0
//
// For operators and aggregates of one's own on a CPU: with this header, calls compile them where
// they are used, vectors and all. Their bits are those of the flags that they are compiled with.
#pragma once

#include "tally/cpu/reductions.hpp"
#include "tally/cpu/running_of.hpp"
#include "tally/cpu/scan_of.hpp"
#include "tally/cpu/scans.hpp"

namespace tally::detail {

template <class Op, class T>
struct compiled_here {
  using bound = decltype(bind_reduce<T>(std::declval<Op const&>()));
  using parts = parts_type<bound>;
  using result = typename bound::result;
  static constexpr char const* name = name_of<bound>();

  static result at_once(Op const& op, cpu where, elements<T> const& in, std::uint64_t n,
                        nan_policy nan) {
    auto const a = bind_reduce<T>(op);
    auto const shared = parts_of(a);
    result out{};
    int const threads = thread_count(where);
    with_standard_arithmetic(
        [&] { out = lower_total(a, reduce_all(shared, threads, in, n, nan)); });
    return out;
  }
  static owner<running<T>> start(Op const& op) {
    auto const a = parts_of(bind_reduce<T>(op));
    return run_of(a, partial<parts>(a));
  }
  static result finish(Op const& op, running<T> const& known, if_empty then = if_empty::throws) {
    result out{};
    auto const total = static_cast<running_state<T, typename parts::state> const&>(known).total();
    with_standard_arithmetic([&] { out = lower_total(bind_reduce<T>(op), total, then); });
    return out;
  }
  static void pack(Op const& op, running<T> const& known, byte_writer& out) {
    pack_run(bind_reduce<T>(op), known, out);
  }
  static owner<running<T>> unpack(Op const& op, std::uint64_t first, std::uint64_t count,
                                  byte_reader& in) {
    return unpack_run(bind_reduce<T>(op), first, count, in);
  }
  static void of_rows(Op const& op, cpu where, row_elements<T> const& in, nan_policy nan,
                      rows<result> const& out) {
    reduce_rows_on_cpu(bind_reduce<T>(op), where, in, nan, out);
  }
};

template <class Op, class In, class Out>
struct scan_compiled_here {
  static owner<running_scan<In, Out>> start(Op const& op) {
    auto const bound = bind_scan<In, Out>(op);
    return make_owner<scan_of<std::remove_const_t<decltype(bound)>>>(bound);
  }
};

}  // namespace tally::detail
