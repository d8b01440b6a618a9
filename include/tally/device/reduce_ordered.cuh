// SPDX-License-Identifier: Apache-2.0
//
// Reductions whose operator neither commutes nor forgives another grouping: the aligned binary tree
// over the index, whatever the launch looks like. Names no aggregate.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/block/reduce.cuh"
#include "tally/device/load.cuh"
#include "tally/device/reduce.cuh"
#include "tally/device/slots.cuh"

namespace tally::device {

inline constexpr int ordered_threads = 256, ordered_blocks_a_multiprocessor = 4;
inline constexpr int ordered_warps = ordered_threads / warp_size;
inline constexpr int most_levels = 8;

// Elements of a strip: what a warp reads at once, a node of the tree.
template <class T>
inline constexpr std::uint64_t strip_size = warp_size * loads_in_flight * vector_size<T>;

// An aggregate without an identity, with one: nothing.
template <aggregate A>
struct with_identity {
  using element = typename A::element;
  using state = maybe<typename A::state>;
  using result = typename A::result;
  static constexpr bool any_order = A::any_order;
  A a;

  TALLY_FN state identity() const { return {{}, false}; }
  TALLY_FN state lift(element x, std::uint64_t i) const { return {a.lift(x, i), true}; }
  TALLY_FN state combine(state const& s, state const& t) const { return tally::combine(a, s, t); }
  TALLY_FN result lower(state const& s) const { return a.lower(s.value); }
  TALLY_FN bool empty(state const& s) const { return !s.present; }
};

template <aggregate A>
struct combining {
  A a;
  __device__ typename A::state operator()(typename A::state const& s,
                                          typename A::state const& t) const {
    return a.combine(s, t);
  }
};

// The nodes of a run of 2^levels neighbours, one after another: the last push gives the run's.
template <aggregate A>
class node_stack {
  typename A::state left_[most_levels];

 public:
  __device__ typename A::state push(A const& a, unsigned i, typename A::state node) {
    for (int level = 0; level < most_levels; ++level) {
      if (!(i >> level & 1)) {
        left_[level] = node;
        break;
      }
      node = a.combine(left_[level], node);
    }
    return node;
  }
};

// The node of a warp's strip, from the nodes of its vectors, of which lane l has [l], [32 + l],
// [64 + l] and [96 + l]. Lanes first share out the four rows, so that 8 exchanges do.
template <aggregate A>
__device__ typename A::state fold_strip(A const& a, typename A::state (&row)[loads_in_flight]) {
  static_assert(loads_in_flight == 4);
  using state = typename A::state;
  int const lane = warp::lane();
  auto const with_neighbour = [&](state const& mine, state const& sent, int distance) {
    state const other = warp::exchange(sent, distance);
    return lane & distance ? a.combine(other, mine) : a.combine(mine, other);
  };
  bool const odd = lane & 1, second = lane & 2;
  state const first = with_neighbour(odd ? row[2] : row[0], odd ? row[0] : row[2], 1);
  state const next = with_neighbour(odd ? row[3] : row[1], odd ? row[1] : row[3], 1);
  state node = with_neighbour(second ? next : first, second ? first : next, 2);
  for (int distance : {4, 8, 16, 2, 1}) node = with_neighbour(node, node, distance);
  return node;
}

// The node of elements [first, first + strip_size); those from n on are absent.
template <aggregate A>
__device__ typename A::state strip_node(A const& a, typename A::element const* in, std::uint64_t n,
                                        std::uint64_t first, bool aligned, bool skips_nan) {
  using element = typename A::element;
  constexpr int size = vector_size<element>;
  element x[loads_in_flight][size];
  std::uint64_t const from = first + std::uint64_t(warp::lane()) * size;
  bool const whole = first + strip_size<element> <= n;
  for (int j = 0; j < loads_in_flight; ++j) {
    std::uint64_t const at = from + std::uint64_t(j) * warp_size * size;
    if (whole && aligned)
      load_vector<size>(in + at, x[j]);
    else
      for (int k = 0; k < size; ++k) x[j][k] = at + k < n ? in[at + k] : element{};
  }
  typename A::state row[loads_in_flight];
  for (int j = 0; j < loads_in_flight; ++j) {
    typename A::state node[size];
    for (int k = 0; k < size; ++k) {
      std::uint64_t const i = from + std::uint64_t(j) * warp_size * size + k;
      bool absent = !whole && i >= n;
      if constexpr (floating<element>) absent = absent || (skips_nan && is_nan(x[j][k]));
      node[k] = absent ? a.identity() : a.lift(x[j][k], i);
    }
    for (int run = 1; run < size; run *= 2)
      for (int k = 0; k < size; k += 2 * run) node[k] = a.combine(node[k], node[k + run]);
    row[j] = node[0];
  }
  return fold_strip(a, row);
}

template <class State>
inline constexpr int words_of_state = (sizeof(State) + 7) / 8;

template <class State>
__device__ void publish_state(State const& s, slot* at, std::uint32_t epoch) {
  std::uint64_t word[words_of_state<State>] = {};
  memcpy(word, &s, sizeof(State));
  for (int i = 0; i < words_of_state<State>; ++i) publish(at + i, word[i], epoch);
}
template <class State>
__device__ State await_state(slot* at, std::uint32_t epoch) {
  std::uint64_t word[words_of_state<State>];
  for (int i = 0; i < words_of_state<State>; ++i) word[i] = await(at + i, epoch);
  State s;
  memcpy(&s, word, sizeof(State));
  return s;
}

template <aggregate A>
struct ordered_call {
  A a;
  bool skips_nan;
  int levels;     // a run is 2^levels strips for each warp of a block
  unsigned runs;  // that hold the array, the last one perhaps in part
  typename A::element const* in;
  std::uint64_t n;
  answer<typename A::result> out;
  workspace w;
};

// Runs are nodes of the tree. They are published as they are done; the first block puts them together.
template <aggregate A>
__global__ void __launch_bounds__(ordered_threads, ordered_blocks_a_multiprocessor)
    reduce_in_order(ordered_call<A> call) {
  auto const& [a, skips_nan, levels, runs, in, n, out, w] = call;
  using element = typename A::element;
  using state = typename A::state;
  bool const aligned = reinterpret_cast<std::uintptr_t>(in) % (vector_size<element> * sizeof(element)) == 0;
  std::uint32_t const epoch = runs > 1 ? this_epoch(w) : 0;
  int const warp = thread_index() / warp_size;
  state total = a.identity();
  for (unsigned run = blockIdx.x; run < runs; run += gridDim.x) {
    std::uint64_t const strip = (std::uint64_t(run) * ordered_warps + warp) << levels;
    node_stack<A> stack;
    state node = a.identity();
    for (unsigned i = 0; i < 1u << levels; ++i) {
      std::uint64_t const first = (strip + i) * strip_size<element>;
      node = stack.push(a, i, first < n ? strip_node(a, in, n, first, aligned, skips_nan)
                                        : a.identity());
    }
    total = block::detail::reduce_warps<ordered_threads>(node, combining<A>{a}, ordered_warps);
    if (runs > 1 && thread_index() == 0)
      publish_state(total, w.slots + run * words_of_state<state>, epoch);
  }
  if (blockIdx.x > 0) return;

  if (runs > 1) {
    int above = 0;
    while ((unsigned(ordered_threads) << above) < runs) ++above;
    node_stack<A> stack;
    for (unsigned i = 0; i < 1u << above; ++i) {
      unsigned const run = (unsigned(thread_index()) << above) + i;
      total = stack.push(a, i, run < runs ? await_state<state>(w.slots + run * words_of_state<state>, epoch)
                                          : a.identity());
    }
    total = block::reduce<ordered_threads>(total, combining<A>{a});
  }
  if (thread_index() != 0) return;
  if (runs > 1) end_epoch(w, epoch, std::uint64_t(runs) * words_of_state<state>);
  *out.result = a.lower(total);
  if (!out.found) return;
  *out.found = true;
  if constexpr (requires { a.empty(total); }) *out.found = !a.empty(total);
}

}  // namespace tally::device
