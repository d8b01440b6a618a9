// SPDX-License-Identifier: Apache-2.0
//
// Reductions on this machine's cores. Names no aggregate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tally/cpu/accumulator.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/rows.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/cpu/tile/tile.hpp"
#include "tally/cpu/tree.hpp"

namespace tally::detail {

// Whether the library holds reduce_on_cpu<A> already compiled; other aggregates are compiled where
// they are used.
template <class A>
inline constexpr bool compiled_reduce = false;

// Fewer elements than this are not worth a second thread.
inline constexpr std::uint64_t grain_size = 65536;

// Whether one thread is best: also for up to 1 MiB, if the library holds the aggregate compiled,
// because that is fast.
template <aggregate A>
bool best_alone(elements<typename A::element> const& in, std::uint64_t n) {
  std::uint64_t const max_bytes = 1 << 20;
  return n < grain_size ||
         (compiled_reduce<A> && in.in_memory() && n * sizeof(typename A::element) <= max_bytes);
}

// Adds elements [begin, end) of `in` to `acc` and `s`, a tile at a time. `first` is the index of
// in's first.
template <aggregate A, nan_policy Nan, int Width>
TALLY_CPU_FN void add_tiles(elements<typename A::element> const& in, std::uint64_t begin,
                            std::uint64_t end, std::uint64_t first, accumulator_type<A>& acc,
                            typename A::state& s) {
  using tile_type = tile<typename A::element, Nan, Width, reduced_at_once<typename A::element>>;
  typename elements<typename A::element>::buffer buffer;
  constexpr int at_once = tile_type::size * tiles_at_once<accumulator_type<A>, Nan>;
  std::uint64_t const step = in.in_memory() ? at_once : run_size;
  for (std::uint64_t i = begin; i < end; i += step) {
    int const count = int(std::min<std::uint64_t>(end - i, step));
    if (!in.in_memory()) in.fetch_ahead(i, count);  // pairs; other loops do so line by line
    acc.add(tile_type{in.at(i, count, buffer), count, first + i, 1, in.in_memory()}, s);
  }
}

// Runs body(width), which adds elements, compiled for the best instruction set.
template <aggregate A, nan_policy Nan, class F>
void run_adding(F&& body) {
  if constexpr (takes_any_order<A> && only_calls<accumulator_type<A>, Nan>)
    run_compiled(body);
  else
    run_vectorised(body);
}

// Adds elements [begin, end) of `in` to `acc`, if A has one, and `into`.
template <aggregate A, nan_policy Nan, class Accumulator>
void add_run(A const& a, elements<typename A::element> const& in, std::uint64_t begin,
             std::uint64_t end, std::uint64_t first, Accumulator& acc, partial<A>& into) {
  run_adding<A, Nan>([&](auto width) __attribute__((always_inline)) {
    if constexpr (takes_any_order<A>)
      add_tiles<A, Nan, width>(in, begin, end, first, acc, into.value);
    else
      reduce_tree<A, Nan, width>(a, in, begin, end, first, into);
  });
}

// Aggregates with an order have no accumulator.
struct no_accumulator {};
template <aggregate A>
auto accumulator_if_any([[maybe_unused]] A const& a) {
  if constexpr (takes_any_order<A>)
    return make_accumulator(a);
  else
    return no_accumulator{};
}

template <aggregate A, nan_policy Nan>
void reduce_run(A const& a, elements<typename A::element> const& in, std::uint64_t begin,
                std::uint64_t end, std::uint64_t first, partial<A>& into) {
  auto acc = accumulator_if_any(a);
  add_run<A, Nan>(a, in, begin, end, first, acc, into);
  if constexpr (takes_any_order<A>) acc.flush(into.value);
}

// What is known of in's elements [0, n), the first of which has the index `first`.
template <aggregate A, nan_policy Nan>
partial<A> reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                         std::uint64_t n, std::uint64_t first) {
  partial<A> known(a);
  if (threads == 1 || best_alone<A>(in, n)) {
    reduce_run<A, Nan>(a, in, 0, n, first, known);
    return known;
  }
  array_pieces const pieces(threads, n, false);
  std::vector<partial<A>> found(pieces.count, partial<A>(a));
  parallel_for(threads, pieces.count, [&](std::size_t i) {
    reduce_run<A, Nan>(a, in, pieces.begin(i), pieces.begin(i + 1), first, found[i]);
  });
  for (auto const& part : found) known.append(a, part);
  return known;
}

// The root over a small whole array (tree.hpp).
template <aggregate A>
typename A::state small_root_on_cpu(A const& a, elements<typename A::element> const& in,
                                    std::uint64_t n) {
  typename A::state root;
  run_vectorised([&](auto width)
                     __attribute__((always_inline)) { root = root_over<A, width>(a, in, n); });
  return root;
}

// Both, compiled in the library for the aggregates of compiled_reduce.
template <class A, nan_policy Nan>
partial<A> compiled_reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                                  std::uint64_t n, std::uint64_t first);
template <class A>
typename A::state compiled_small_root_on_cpu(A const& a, elements<typename A::element> const& in,
                                             std::uint64_t n);

// Calls f.operator()<Nan>() with the policy as a constant, if it makes a difference to Ts.
template <class T, class F>
auto with_policy(nan_policy nan, F&& f) {
  if constexpr (has_nan<T>)
    if (nan == skip) return f.template operator()<skip>();
  return f.template operator()<propagate>();
}

// Both, by what the library holds if it does.
template <aggregate A>
partial<A> reduce_elements(A const& a, int threads, elements<typename A::element> const& in,
                           std::uint64_t n, std::uint64_t first, nan_policy nan) {
  return with_policy<typename A::element>(nan, [&]<nan_policy Nan>() {
    if constexpr (compiled_reduce<A>)
      return compiled_reduce_on_cpu<A, Nan>(a, threads, in, n, first);
    else
      return reduce_on_cpu<A, Nan>(a, threads, in, n, first);
  });
}
template <aggregate A>
typename A::state small_root(A const& a, elements<typename A::element> const& in, std::uint64_t n) {
  if constexpr (compiled_reduce<A>)
    return compiled_small_root_on_cpu(a, in, n);
  else
    return small_root_on_cpu(a, in, n);
}

// The state of a whole array.
template <aggregate A>
maybe<typename A::state> reduce_all(A const& a, int threads,
                                    elements<typename A::element> const& in, std::uint64_t n,
                                    nan_policy nan) {
  if constexpr (has_small_root<A>)
    if (0 < n && n <= std::uint64_t(1) << small_tree_level &&
        !(nan == skip && has_nan<typename A::element>))
      return {small_root(a, in, n), true};
  return reduce_elements(a, threads, in, n, 0, nan).total(a);
}

// What `a` makes of all elements.
template <aggregate A, class State>
typename A::result lower_total(A const& a, maybe<State> const& total,
                               if_empty then = if_empty::throws) {
  if (total.present) {
    if (then == if_empty::throws) require_elements(a, total.value);
    return a.lower(total.value);
  }
  if constexpr (has_identity<A>)
    return a.lower(a.identity());
  else if (then == if_empty::throws)
    throw empty_array(name_of<A>());
  else
    return {};
}

// A row's result; `shared` is parts_at_once(a).
template <aggregate A, class Parts>
void reduce_row_on_cpu(A const& a, Parts const& shared, cpu where,
                       elements<typename A::element> const& row, std::uint64_t size, nan_policy nan,
                       typename A::result& out) {
  out = lower_total(a, reduce_all(shared, thread_count(where), row, size, nan),
                    if_empty::has_a_result);
}
// Row r's, by one core.
template <aggregate A, class Parts>
void reduce_row_on_cpu(A const& a, Parts const& shared, row_elements<typename A::element> const& in,
                       std::uint64_t r, nan_policy nan, typename A::result& out) {
  for_row(in, r, [&](elements<typename A::element> const& row, std::uint64_t size) {
    reduce_row_on_cpu(a, shared, cpu{1}, row, size, nan, out);
  });
}

// A result for each row, to out's; the bits of a row depend on it alone.
template <aggregate A>
void reduce_rows_on_cpu(A const& a, cpu where, row_elements<typename A::element> const& in,
                        nan_policy nan, rows<typename A::result> const& out) {
  auto const shared = parts_at_once(a);
  for_rows(where, in, [&](cpu with, std::uint64_t r, auto const& row, std::uint64_t size) {
    reduce_row_on_cpu(a, shared, with, row, size, nan, out.data[out.begin(r)]);
  });
}

}  // namespace tally::detail
