// SPDX-License-Identifier: Apache-2.0
//
// Reductions on this machine's cores. Names no aggregate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tally/aggregate/partial.hpp"
#include "tally/cpu/accumulator.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/cpu/tile/tile.hpp"

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

// Aggregates with an order take one aligned node of 2^tree_level leaves at a time; what lies
// outside of such nodes goes leaf by leaf.
inline constexpr int tree_level = 8;

template <int Level, aggregate A>
TALLY_CPU_FN typename A::state tree_of(A const& a, typename A::state const* v) {
  if constexpr (Level == 0) {
    return v[0];
  } else {
    typename A::state up[1 << (Level - 1)];
    for (int k = 0; k < 1 << (Level - 1); ++k) up[k] = a.combine(v[2 * k], v[2 * k + 1]);
    return tree_of<Level - 1>(a, up);
  }
}

// The node over x[0, 2^tree_level); what is skipped counts as the identity.
template <aggregate A, bool Skips>
TALLY_CPU_FN typename A::state whole_node(A const& a, run_of<typename A::element> x,
                                          std::uint64_t index) {
  constexpr int leaves = 1 << tree_level;
  typename A::state v[leaves];
  for (int k = 0; k < leaves; ++k) {
    if constexpr (Skips)
      v[k] = is_nan(x[k]) ? a.identity() : a.lift(x[k], index + k);
    else
      v[k] = a.lift(x[k], index + k);
  }
  return tree_of<tree_level>(a, v);
}

template <aggregate A, nan_policy Nan>
TALLY_CPU_FN void reduce_tree(A const& a, elements<typename A::element> const& in,
                              std::uint64_t begin, std::uint64_t end, std::uint64_t first,
                              tree_partial<A>& into) {
  constexpr std::uint64_t leaves = std::uint64_t(1) << tree_level;
  constexpr bool skips = Nan == skip && has_nan<typename A::element>;
  constexpr bool by_nodes = !skips || has_identity<A>;
  typename elements<typename A::element>::buffer buffer;
  for (std::uint64_t i = begin; i < end;) {
    std::uint64_t const index = first + i, count = std::min(end - i, leaves - index % leaves);
    auto const x = in.at(i, count, buffer);
    in.fetch_ahead(i, count);
    bool const whole = by_nodes && count == leaves;
    if constexpr (by_nodes) {
      if (whole) into.push(a, {index, tree_level, {whole_node<A, skips>(a, x, index), true}});
    }
    for (std::uint64_t k = 0; k < count && !whole; ++k) {
      bool present = true;
      if constexpr (skips) present = !is_nan(x[k]);
      into.push(a, {index + k, 0, {a.lift(x[k], index + k), present}});
    }
    i += count;
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

template <aggregate A, nan_policy Nan>
void reduce_run(A const& a, elements<typename A::element> const& in, std::uint64_t begin,
                std::uint64_t end, std::uint64_t first, partial<A>& into) {
  run_adding<A, Nan>([&](auto width) __attribute__((always_inline)) {
    if constexpr (takes_any_order<A>) {
      auto acc = make_accumulator(a);
      add_tiles<A, Nan, width>(in, begin, end, first, acc, into.value);
      acc.flush(into.value);
    } else {
      reduce_tree<A, Nan>(a, in, begin, end, first, into);
    }
  });
}

// Appends in's elements [0, n) to `into`, which covers the indices before `first`.
template <aggregate A, nan_policy Nan>
void reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                   std::uint64_t n, std::uint64_t first, partial<A>& into) {
  // There are a few pieces a thread, so that a slow core does not hold up the others. They end at
  // multiples of 512 elements.
  std::uint64_t const pieces = threads == 1 || best_alone<A>(in, n)
                                   ? 1
                                   : std::min<std::uint64_t>(std::uint64_t(threads) * 4, n / 16384);
  std::uint64_t const step = (n / pieces + 511) / 512 * 512;
  auto const boundary = [&](std::uint64_t i) { return i == pieces ? n : std::min(n, i * step); };
  std::vector<partial<A>> found(pieces, partial<A>(a));
  parallel_for(threads, pieces, [&](std::size_t i) {
    reduce_run<A, Nan>(a, in, boundary(i), boundary(i + 1), first, found[i]);
  });
  for (auto const& part : found) into.append(a, part);
}

template <class A, nan_policy Nan>
void compiled_reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                            std::uint64_t n, std::uint64_t first, partial<A>& into);

// The same, by what the library holds if it does.
template <aggregate A>
void reduce_elements(A const& a, int threads, elements<typename A::element> const& in,
                     std::uint64_t n, std::uint64_t first, nan_policy nan, partial<A>& into) {
  auto const run = [&]<nan_policy Nan>() {
    if constexpr (compiled_reduce<A>)
      compiled_reduce_on_cpu<A, Nan>(a, threads, in, n, first, into);
    else
      reduce_on_cpu<A, Nan>(a, threads, in, n, first, into);
  };
  if (nan == skip && has_nan<typename A::element>)
    run.template operator()<skip>();
  else
    run.template operator()<propagate>();
}

// What `a` makes of all elements; throws if there was none and it has no answer to that.
template <aggregate A, class State>
typename A::result lower_total(A const& a, maybe<State> const& total) {
  if (total.present) {
    require_elements(a, total.value);
    return a.lower(total.value);
  }
  if constexpr (has_identity<A>)
    return a.lower(a.identity());
  else
    throw empty_array(name_of<A>());
}

}  // namespace tally::detail
