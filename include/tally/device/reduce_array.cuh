// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a reduction of a whole array: which kernel, how many blocks.
#pragma once

#include <algorithm>
#include <bit>

#include "tally/aggregate/partial.hpp"
#include "tally/cuda/launch.cuh"
#include "tally/device/agent/plain.cuh"
#include "tally/device/call.hpp"
#include "tally/device/reduce.cuh"
#include "tally/device/reduce_ordered.cuh"

namespace tally::detail {

template <aggregate A>
auto ordered_on_device(A const& a) {
  if constexpr (has_identity<A>)
    return a;
  else
    return device::with_identity<A>{a};
}

// Whether there are so many tiles (as many vectors as a block reads at once) that blocks should
// draw them: some get at memory sooner than others.
inline bool is_long(std::uint64_t tiles, std::uint64_t blocks) {
  return blocks > 1 && tiles >= 24 * blocks;
}

// How many blocks, of how many threads, that read so many vectors at once: few elements make one
// block. Some more make blocks of half the threads, which are sooner done with folding theirs.
struct geometry {
  unsigned blocks, threads;
};
template <class Form, class Source>
geometry geometry_of(std::uint64_t n, gpu_call const& call) {
  constexpr std::uint64_t alone = 1024;
  std::uint64_t const vectors = (n + Source::each - 1) / Source::each;
  unsigned threads = Form::threads;
  bool const few = 2 * vectors <= std::uint64_t(call.multiprocessors()) * threads * Source::loads;
  if (few && threads > warp_size) threads = threads / 2 / warp_size * warp_size;
  if (vectors <= alone) {
    auto const wanted = (vectors + warp_size - 1) / warp_size * warp_size;
    return {1, unsigned(std::clamp<std::uint64_t>(wanted, warp_size, threads))};
  }
  auto const most = std::uint64_t(call.multiprocessors()) * Form::blocks_a_multiprocessor;
  std::uint64_t const each = threads * Source::loads;
  return {unsigned(std::min((vectors + each - 1) / each, most)), threads};
}

inline device::workspace workspace_of(gpu_call& call, std::size_t slots) {
  auto const memory = call.workspace(slots);
  return {memory.header, static_cast<device::slot*>(memory.slots), memory.count};
}

// The levels of a run (reduce_ordered.cuh): as few as leave not more than `most` runs.
template <class State>
int run_levels(std::uint64_t strips, std::uint64_t most) {
  int levels = 0;
  while (levels < device::most_levels<State> && (strips >> levels) > most * device::ordered_warps)
    ++levels;
  return levels;
}

// A run for each block; of long work shorter ones, as many as have room in the first workspace. Few
// strips make small blocks, of which the first one's first warp can put the runs together.
struct run_plan {
  unsigned warps;
  int levels;
  bool draws;
};
template <class State>
run_plan plan_runs(std::uint64_t strips, std::uint64_t blocks) {
  constexpr unsigned most = device::ordered_warps, least = 4;
  if (strips <= most) return {unsigned(strips), 0, false};
  if (strips <= most * warp_size)
    return {std::max(least, std::bit_ceil(unsigned(strips - 1) / warp_size + 1)), 0, false};
  bool const draws = is_long(strips / most, blocks);
  auto const runs = std::max(128 / device::words_of<State>, 1) * blocks;
  return {most, run_levels<State>(strips, draws ? runs : blocks), draws};
}

template <aggregate A, class Source>
void reduce_any_order_on_device(gpu_call& call, A const& a, bool skips_nan, Source const& in,
                                std::uint64_t n, device::answer<typename A::result> out) {
  auto const form = device::form_of(a, skips_nan);
  using form_type = std::remove_const_t<decltype(form)>;
  auto const [blocks, threads] = geometry_of<form_type, Source>(n, call);
  auto const workspace = workspace_of(call, std::size_t(blocks - 1) * form_type::words);
  auto const parts = device::cut_for(in, n);
  bool const draws = is_long(parts.vectors / (threads * Source::loads), blocks);
  launch_early<device::reduce_any_order<form_type, Source>>(
      blocks, threads, form_type::dynamic_bytes, call.stream())(
      device::any_order_call<form_type, Source>{in, n, parts, out, workspace, form, draws});
}

template <aggregate A, class Source>
void reduce_in_order_on_device(gpu_call& call, A const& a, bool skips_nan, Source const& in,
                               std::uint64_t n, device::answer<typename A::result> out) {
  auto const op = ordered_on_device(a);
  using op_type = std::remove_const_t<decltype(op)>;
  using state = typename op_type::state;
  auto const size = device::strip_size<Source>;
  std::uint64_t const strips = std::max<std::uint64_t>((n + size - 1) / size, 1);
  auto const resident =
      std::uint64_t(call.multiprocessors()) * device::ordered_blocks_a_multiprocessor;
  auto const [warps, levels, draws] = plan_runs<state>(strips, resident);
  std::uint64_t const run = std::uint64_t(warps) << levels;
  std::uint64_t const runs = (strips + run - 1) / run;
  if (runs > device::most_runs<state>)
    throw error("reduce: an array of " + std::to_string(n) +
                " elements is too long for an ordered operator on a GPU");
  auto const slots = runs > 1 ? std::size_t(runs) * device::words_of<state> : 0;
  auto const workspace = workspace_of(call, slots);
  auto const blocks = unsigned(std::min(runs, resident));
  launch_early<device::reduce_in_order<op_type, Source>>(
      blocks, warps * warp_size, 0, call.stream())(device::ordered_call<op_type, Source>{
      skips_nan, in.is_aligned(0), int(std::bit_width(warps - 1)), levels, unsigned(runs), in, n,
      device::whole_strips_of(in, n), out, workspace, op, draws});
}

// The elements of `in`, in memory that the device can read, into *result; asynchronous. *found (or
// null) tells whether there is an answer.
template <aggregate A, input In>
void reduce_on_gpu(gpu_call& call, A const& a, nan_policy nan, In const& in,
                   typename A::result* result, bool* found) {
  bool const skips = nan == skip && has_nan<typename A::element>;
  auto const source = device::source_of(in);
  if constexpr (takes_any_order<A>)
    reduce_any_order_on_device(call, a, skips, source, in.size(), {result, found});
  else
    reduce_in_order_on_device(call, a, skips, source, in.size(), {result, found});
}

}  // namespace tally::detail
