// SPDX-License-Identifier: Apache-2.0
//
// Aggregates with an order, on one thread: along the aligned tree, by nodes of 2^tree_level leaves.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tally/aggregate/partial.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // all of it is inlined

namespace tally::detail {

inline constexpr int tree_level = 8;

// Whether A also combines vectors of states, and lifts vectors of elements, lane by lane. (nvcc 13
// loses the packs below.)
template <class A, int Bytes>
inline constexpr bool combines_vectors = false;
template <class A, int Bytes>
inline constexpr bool lifts_vectors = false;
#ifndef __CUDACC__
template <class A, int Bytes>
  requires std::is_floating_point_v<typename A::state>
inline constexpr bool combines_vectors<A, Bytes> =
    requires(A const a, vec<typename A::state, Bytes / sizeof(typename A::state)> v) {
      { a.combine(v, v) } -> std::same_as<decltype(v)>;
    };
template <class A, int Bytes>
  requires combines_vectors<A, Bytes>
inline constexpr bool lifts_vectors<A, Bytes> =
    requires(A const a, vec<typename A::state, Bytes / sizeof(typename A::state)> v) {
      { a.lift(v, 0) } -> std::same_as<decltype(v)>;
    };

template <aggregate A, class V, int... I>
TALLY_CPU_FN V combine_neighbours(A const& a, V left, V right, std::integer_sequence<int, I...>) {
  return a.combine(__builtin_shufflevector(left, right, (2 * I)...),
                   __builtin_shufflevector(left, right, (2 * I + 1)...));
}
// One vector of nodes over so many vectors of leaves, which leaf(first lane) returns.
template <int Vectors, aggregate A, class F>
TALLY_CPU_FN auto nodes_above(A const& a, F const& leaf, int first = 0) {
  if constexpr (Vectors == 1) {
    return leaf(first);
  } else {
    auto const left = nodes_above<Vectors / 2>(a, leaf, first);
    constexpr int lanes = sizeof left / sizeof left[0];
    auto const right = nodes_above<Vectors / 2>(a, leaf, first + Vectors / 2 * lanes);
    return combine_neighbours(a, left, right, std::make_integer_sequence<int, lanes>{});
  }
}
#endif

// The node over 2^Level leaves: states, v[0] first; or vectors of states, of which leaf(i) returns
// the one that begins at leaf i.
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
template <int Level, int Lanes, aggregate A, class F>
TALLY_CPU_FN typename A::state tree_of_vectors(A const& a, F const& leaf) {
  auto const nodes = nodes_above<(1 << Level) / Lanes>(a, leaf);
  typename A::state up[Lanes];
  __builtin_memcpy(up, &nodes, sizeof up);
  return tree_of<std::countr_zero(unsigned(Lanes))>(a, up);
}

// The node over 2^Level states, by vectors of so many bytes if A combines them.
template <int Level, int Bytes, aggregate A>
TALLY_CPU_FN typename A::state tree_over(A const& a, typename A::state const* v) {
  using state = typename A::state;
  constexpr int lanes = std::min(1 << Level, Bytes / int(sizeof(state)));
  if constexpr (combines_vectors<A, Bytes>)
    return tree_of_vectors<Level, lanes>(
        a, [&](int k) __attribute__((always_inline)) { return load<vec<state, lanes>>(v + k); });
  else
    return tree_of<Level>(a, v);
}

// What is skipped counts as the identity.
template <bool Skips, aggregate A, class Run>
TALLY_CPU_FN typename A::state leaf_of(A const& a, Run x, int k, std::uint64_t index) {
  if constexpr (Skips)
    if (is_nan(x[k])) return a.identity();
  return a.lift(x[k], index + std::uint64_t(k));
}

// The node over x[0, 2^Level), where vectors have so many bytes.
template <int Level, int Bytes, bool Skips, aggregate A>
TALLY_CPU_FN typename A::state whole_node(A const& a, run_of<typename A::element> x,
                                          std::uint64_t index) {
  using state = typename A::state;
  constexpr int leaves = 1 << Level, lanes = std::min(leaves, Bytes / int(sizeof(state)));
  if constexpr (lifts_vectors<A, Bytes> && !Skips) {
    return tree_of_vectors<Level, lanes>(a, [&](int k) __attribute__((always_inline)) {
      return a.lift(load<vec<state, lanes>>(x + k), index + std::uint64_t(k));
    });
  } else {
    state v[leaves];
    for (int k = 0; k < leaves; ++k) v[k] = leaf_of<Skips>(a, x, k, index);
    return tree_over<Level, Bytes>(a, v);
  }
}

// The node over 2^Level leaves of which only x[0, count) are there: of an aggregate whose identity
// stands for the others, which changes no bits. Halves are taken apart where vectors make that pay.
template <int Level, int Bytes, aggregate A>
TALLY_CPU_FN typename A::state some_node(A const& a, run_of<typename A::element> x, int count,
                                         std::uint64_t index) {
  constexpr int leaves = 1 << Level, half = leaves / 2;
  if (count == leaves) return whole_node<Level, Bytes, false>(a, x, index);
  if constexpr (Level > 4 && lifts_vectors<A, Bytes>) {
    if (count <= half) return some_node<Level - 1, Bytes>(a, x, count, index);
    return a.combine(whole_node<Level - 1, Bytes, false>(a, x, index),
                     some_node<Level - 1, Bytes>(a, x + half, count - half, index + half));
  } else {
    typename A::state v[leaves];
    if (Level == 4 && within_page(x, leaves)) {
      for (int k = 0; k < leaves; ++k)
        v[k] = k < count ? leaf_of<false>(a, x, k, index) : a.identity();
    } else {
      for (auto& leaf : v) leaf = a.identity();
      for (int k = 0; k < count; ++k) v[k] = leaf_of<false>(a, x, k, index);
    }
    if constexpr (lifts_vectors<A, Bytes>)
      return tree_of<Level>(a, v);
    else
      return tree_over<Level, Bytes>(a, v);
  }
}

// Appends elements [begin, end) of `in`: what lies outside of whole nodes leaf by leaf.
template <aggregate A, nan_policy Nan, int Bytes>
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
      if (whole) {
        auto const node = whole_node<tree_level, Bytes, skips>(a, x, index);
        into.push(a, {index, tree_level, {node, true}});
      }
    }
    for (std::uint64_t k = 0; k < count && !whole; ++k) {
      bool present = true;
      if constexpr (skips) present = !is_nan(x[k]);
      into.push(a, {index + k, 0, {a.lift(x[k], index + k), present}});
    }
    i += count;
  }
}

// Whether all of a small array, of which nothing is skipped, is taken without a list of nodes: past
// its end is the identity, which changes no bits, and with a state so small costs next to nothing.
template <class A>
inline constexpr bool has_small_root =
    !takes_any_order<A> && has_identity<A> && sizeof(typename A::state) <= 8;
inline constexpr int small_tree_level = 16;

// The root over a whole array of at most 2^small_tree_level elements, but not none.
template <aggregate A, int Bytes>
TALLY_CPU_FN typename A::state root_over(A const& a, elements<typename A::element> const& in,
                                         std::uint64_t n) {
  constexpr std::uint64_t leaves = std::uint64_t(1) << tree_level;
  typename elements<typename A::element>::buffer buffer;
  // left[l] is a node of level tree_level + l that has no right sibling yet, if bit l of the number
  // of nodes is set.
  typename A::state left[small_tree_level - tree_level + 1];
  std::uint64_t nodes = 0;
  for (std::uint64_t i = 0; i < n; i += leaves, ++nodes) {
    int const count = int(std::min(n - i, leaves));
    auto node = some_node<tree_level, Bytes>(a, in.at(i, count, buffer), count, i);
    int l = 0;
    for (; nodes >> l & 1; ++l) node = a.combine(left[l], node);
    left[l] = node;
  }
  auto root = left[std::countr_zero(nodes)];
  while (nodes &= nodes - 1) root = a.combine(left[std::countr_zero(nodes)], root);
  return root;
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
