// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a reduction of a whole array: which kernel, how many blocks.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "tally/aggregate/partial.hpp"
#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/reduce/agent/agent.cuh"
#include "tally/device/reduce/kernel.cuh"
#include "tally/device/reduce/ordered.cuh"

namespace tally::detail {

// Whether there are so many tiles (as many vectors as a block reads at once) that blocks should
// draw them: some get at memory sooner than others.
inline bool is_long(std::uint64_t tiles, std::uint64_t blocks) {
  return blocks > 1 && tiles >= 24 * blocks;
}

// How many blocks a launch has, of how many threads. Few elements make one block. Some more make
// blocks of half the threads, which are sooner done with folding theirs.
struct geometry {
  unsigned blocks, threads;
};
template <class Agent, class Source>
geometry geometry_of(std::uint64_t n, int multiprocessors) {
  constexpr std::uint64_t one_block = 1024;
  std::uint64_t const vectors = (n + Source::each - 1) / Source::each;
  unsigned threads = Agent::threads;
  bool const is_small = 2 * vectors <= std::uint64_t(multiprocessors) * threads * Source::loads;
  if (is_small && threads > warp_size) threads = threads / 2 / warp_size * warp_size;
  if (vectors <= one_block) {
    auto const wanted = (vectors + warp_size - 1) / warp_size * warp_size;
    return {1, unsigned(std::clamp<std::uint64_t>(wanted, warp_size, threads))};
  }
  auto const max_blocks = std::uint64_t(multiprocessors) * Agent::blocks_a_multiprocessor;
  std::uint64_t const each = threads * Source::loads;
  return {unsigned(std::min((vectors + each - 1) / each, max_blocks)), threads};
}

// The fewest levels of a run (ordered.cuh) that leave not more than `max_runs` runs.
template <class State>
int run_levels(std::uint64_t strips, std::uint64_t max_runs) {
  int levels = 0;
  while (levels < device::max_levels<State> &&
         (strips >> levels) > max_runs * device::ordered_warps)
    ++levels;
  return levels;
}

// How an ordered reduction is split: into a run for each block, or long work into shorter ones, as
// many as have room in the first workspace. Few strips make small blocks, whose runs the first
// block's first warp can put together.
struct run_plan {
  unsigned warps;
  int levels;
  bool dynamic;
};
template <class State>
run_plan plan_runs(std::uint64_t strips, std::uint64_t blocks) {
  constexpr unsigned max_warps = device::ordered_warps, min_warps = 4;
  if (strips <= max_warps) return {unsigned(strips), 0, false};
  if (strips <= max_warps * warp_size)
    return {std::max(min_warps, std::bit_ceil(unsigned(strips - 1) / warp_size + 1)), 0, false};
  bool const dynamic = is_long(strips / max_warps, blocks);
  auto const runs = std::max(128 / device::words_of<State>, 1) * blocks;
  return {max_warps, run_levels<State>(strips, dynamic ? runs : blocks), dynamic};
}

template <launch_context Context, aggregate A, class Source>
void reduce_any_order_on_device(Context& context, A const& a, bool skips_nan, Source const& in,
                                std::uint64_t n, device::output<typename A::result> out) {
  auto const agent = device::make_agent(a, skips_nan);
  using agent_type = std::remove_const_t<decltype(agent)>;
  auto const [blocks, threads] = geometry_of<agent_type, Source>(n, context.multiprocessors());
  auto const words = std::size_t(blocks - 1) * agent_type::words;
  auto const workspace = context.workspace(words);
  auto const split = device::split_for(in, n);
  bool const dynamic = is_long(split.vectors / (threads * Source::loads), blocks);
  launch_plan const plan{dynamic ? "tiles in any order, drawn" : "tiles in any order", blocks,
                         threads};
  launch_early<device::reduce_any_order<agent_type, Source>>(
      plan.blocks, plan.threads, agent_type::dynamic_bytes, context.stream())(
      device::any_order_call<agent_type, Source>{in, n, split, out, workspace, agent, dynamic});
  explain(context, plan, words * sizeof(device::status_word));
}

template <launch_context Context, aggregate A, class Source>
void reduce_in_order_on_device(Context& context, A const& a, bool skips_nan, Source const& in,
                               std::uint64_t n, device::output<typename A::result> out) {
  auto const op = device::ordered_on_device(a);
  using op_type = std::remove_const_t<decltype(op)>;
  using state = typename op_type::state;
  auto const size = device::strip_size<Source>;
  std::uint64_t const strips = std::max<std::uint64_t>((n + size - 1) / size, 1);
  auto const resident =
      std::uint64_t(context.multiprocessors()) * device::ordered_blocks_a_multiprocessor;
  auto const [warps, levels, dynamic] = plan_runs<state>(strips, resident);
  std::uint64_t const run = std::uint64_t(warps) << levels;
  std::uint64_t const runs = (strips + run - 1) / run;
  if (runs > device::max_runs<state>)
    throw error("reduce: an array of " + std::to_string(n) +
                " elements is too long for an ordered operator on a GPU");
  auto const words = runs > 1 ? std::size_t(runs) * device::words_of<state> : 0;
  auto const workspace = context.workspace(words);
  launch_plan const plan{dynamic ? "runs of a fixed tree, drawn" : "runs of a fixed tree",
                         unsigned(std::min(runs, resident)), warps * warp_size};
  launch_early<device::reduce_in_order<op_type, Source>>(
      plan.blocks, plan.threads, 0, context.stream())(device::ordered_call<op_type, Source>{
      skips_nan, in.is_aligned(0), int(std::bit_width(warps - 1)), levels, unsigned(runs), in, n,
      device::whole_strips_of(in, n), out, workspace, op, dynamic});
  explain(context, plan, words * sizeof(device::status_word));
}

// Reduces `in`, which is in memory that the device can read, into *result; asynchronously. *found
// (or null) says whether there is a result.
template <launch_context Context, aggregate A, input In>
void reduce_on_gpu(Context& context, A const& a, nan_policy nan, In const& in,
                   typename A::result* result, bool* found) {
  bool const skips = nan == skip && has_nan<typename A::element>;
  auto const source = device::source_of(in);
  if constexpr (takes_any_order<A>)
    reduce_any_order_on_device(context, a, skips, source, in.size(), {result, found});
  else
    reduce_in_order_on_device(context, a, skips, source, in.size(), {result, found});
}

}  // namespace tally::detail
