// SPDX-License-Identifier: Apache-2.0
//
// What the table (tally/compiled.hpp) lists.
#include "tally/cpu/reductions.hpp"
#include "../extremum_lanes.hpp"
#include "../held.hpp"
#include "../moment_lanes.hpp"
#include "../row_vectors.hpp"
#include "tally/compiled.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"

namespace tally::detail {

template <class Op, class T>
using bound = decltype(std::declval<Op const&>().template on<T>());

// Whether the floating-point environment matters, which takes a fast call's time to set: not where
// integers are made of integers.
template <aggregate A>
inline constexpr bool rounds = !(integer<typename A::element> && integer<typename A::result>);
template <aggregate A>
  requires requires { A::rounds; }
inline constexpr bool rounds<A> = A::rounds;

template <aggregate A, class F>
void with_arithmetic_for(F&& body) {
  if constexpr (rounds<A>)
    with_standard_arithmetic(body);
  else
    body();
}

template <class A>
void lower_to(A const& a, maybe<typename A::state> const& total, if_empty then, void* result) {
  with_standard_arithmetic(
      [&] { *static_cast<typename A::result*>(result) = lower_total(a, total, then); });
}

template <class Op, class T>
owner<running<T>> start_compiled(Op const& op) {
  auto const parts = parts_of(op.template on<T>());
  return run_of(parts, partial<parts_type<bound<Op, T>>>(parts));
}

template <class Op, class T>
void finish_compiled(Op const& op, running<T> const& known, void* result, if_empty then) {
  lower_to(op.template on<T>(), total_of<parts_type<bound<Op, T>>>(known), then, result);
}

template <class Op, class T>
void pack_compiled(Op const& op, running<T> const& known, byte_writer& out) {
  pack_run(op.template on<T>(), known, out);
}
template <class Op, class T>
owner<running<T>> unpack_compiled(Op const& op, std::uint64_t first, std::uint64_t count,
                                  byte_reader& in) {
  return unpack_run(op.template on<T>(), first, count, in);
}

template <class Op, class T>
void reduce_rows_compiled(Op const& op, cpu where, row_elements<T> const& in, nan_policy nan,
                          void* out, row_layout const& places) {
  auto const a = op.template on<T>();
  using A = std::remove_const_t<decltype(a)>;
  rows<typename A::result> const to(static_cast<typename A::result*>(out), places);
  if constexpr (has_vectors<A>)
    if (in.even && suit_vectors<A>(*in.even))
      return reduce_rows_by_vectors(a, where, in, nan, to);
  if constexpr (has_lanes<A>)
    if (in.even && suit_lanes<A>(*in.even))
      return reduce_rows_by_lanes(a, where, in, nan, to);
  reduce_rows_on_cpu(a, where, in, nan, to);
}

template <class Op, class T>
void reduce_compiled(Op const& op, cpu where, elements<T> const& in, std::uint64_t n,
                     nan_policy nan, void* result) {
  auto const a = op.template on<T>();
  auto const shared = parts_at_once(a);
  static_assert(compiled_reduce<std::remove_const_t<decltype(shared)>>);
  int const threads = thread_count(where);
  with_arithmetic_for<bound<Op, T>>([&] {
    *static_cast<typename bound<Op, T>::result*>(result) =
        lower_total(a, reduce_all(shared, threads, in, n, nan));
  });
}

#define HOLD(O, T)                                                                            \
  template void reduce_compiled<O, T>(O const&, cpu, elements<T> const&, std::uint64_t,       \
                                      nan_policy, void*);                                     \
  template owner<running<T>> start_compiled<O, T>(O const&);                                  \
  template void finish_compiled<O, T>(O const&, running<T> const&, void*, if_empty);          \
  template void reduce_rows_compiled<O, T>(O const&, cpu, row_elements<T> const&, nan_policy, \
                                           void*, row_layout const&);
#define HOLD_STATE(O, T)                                                                   \
  template void pack_compiled<O, T>(O const&, running<T> const&, byte_writer&);            \
  template owner<running<T>> unpack_compiled<O, T>(O const&, std::uint64_t, std::uint64_t, \
                                                   byte_reader&);
#define HOLD_LINE(ELEMENTS, O) TALLY_EACH_##ELEMENTS(HOLD, O)
#define HOLD_STATES(ELEMENTS, O) TALLY_EACH_##ELEMENTS(HOLD_STATE, O)

#define LINES TALLY_REDUCTIONS(HOLD_LINE)
#define PACKED TALLY_REDUCTIONS(HOLD_STATES)
#define ROUNDED TALLY_ROUNDED(HOLD)
TALLY_FAMILY

}  // namespace tally::detail
