// SPDX-License-Identifier: Apache-2.0
//
// Reductions of whole arrays on a device by one kernel: each block publishes its totals, and the
// first one collects them. This file names no aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/cuda/thread_index.cuh"
#include "tally/device/grid/epoch.cuh"
#include "tally/device/grid/schedule.cuh"
#include "tally/device/input/load.cuh"

namespace tally::device {

// Where the result goes, in memory that the device can write, and whether there is one. (There is
// none of an array without elements that count, if the aggregate is not defined for that.)
template <class Result>
struct output {
  Result* result;
  bool* found;  // or null
};

// The reduction of an aggregate that takes any order, by its agent (agent/agent.cuh).
template <class Agent, class Source>
struct any_order_call {
  Source in;
  std::uint64_t n;
  input_split split;
  output<typename Agent::result> out;
  workspace w;
  Agent agent;
  bool dynamic;  // the schedule of its tiles
};

// Calls add(x, live, index) with the values of what was read. If they have to be computed, it does
// as much at once as registers hold. Bit j of `live` says whether the j-th vector is there.
template <class Source, class Batch, class Index, class Add>
__device__ void for_values(Source const& from, Batch& read, unsigned live, Index index, Add add) {
  if constexpr (!Source::computes) {
    add(read, live, index);
  } else {
    using element = typename Source::element;
    constexpr int each = Source::each, fit = 64 / int(each * sizeof(element));
    constexpr int some = fit >= Source::loads ? Source::loads : fit >= 2 ? 2 : 1;
#pragma unroll
    for (int first = 0; first < Source::loads; first += some) {
      batch<element, some, each> x;
#pragma unroll
      for (int k = 0; k < some * each; ++k)
        x.set(k, live >> (first + k / each) & 1 ? from.value(read, first * each + k) : element{});
      add(x, live >> first & ((1u << some) - 1), [&](int k) { return index(first * each + k); });
    }
  }
}

inline constexpr int tiles_a_ticket = 2;
template <class Agent>
using schedule_for = std::conditional_t<Agent::schedules_dynamically,
                                        dynamic_schedule<tiles_a_ticket>, static_schedule>;

// Adds one tile after another, and calls start() while the first one is on its way. (The
// instructions to load and to add are there once: a launch has to fetch them.)
template <class Tile, class Schedule, class Start, class Add>
__device__ void add_each(Tile at, Schedule& mine, Start start, Add add) {
  bool started = false;
  do {
    typename Tile::batch_type x;
    unsigned const live = at.load(x);
    mine.ask();
    if (!started) start();
    started = true;
    add(at, x, live);
    at.advance(mine.next());
  } while (!at.is_behind());
}
// The same, while the next one is on its way.
template <class Tile, class Schedule, class Start, class Add>
__device__ void add_each_behind_loads(Tile at, Schedule& mine, Start start, Add add) {
  bool started = false;
  Tile here = at;
  typename Tile::batch_type x;
  unsigned live = 0;
  for (;;) {
    typename Tile::batch_type next;
    unsigned const next_live = at.load(next);  // none behind the last
    if (started)
      add(here, x, live);
    else
      start();
    started = true;
    if (at.is_behind()) break;
    x = next, live = next_live, here = at;
    at.advance(mine.next());
  }
}

// Adds the block's share of the whole vectors.
template <class Agent, class Source, class Start>
__device__ void add_tiles(any_order_call<Agent, Source> const& call,
                          typename Agent::accumulator& acc, typename Agent::shared& shared,
                          Start start) {
  auto const add = [&](tile<Source> const& at, auto& x, unsigned live) {
    for_values(
        call.in, x, live, [&](int k) { return at.index(k); },
        [&](auto& x, unsigned live, auto index) { call.agent.add(acc, shared, x, live, index); });
  };
  static_assert(!(Agent::schedules_dynamically && Agent::loads_ahead),
                "a ticket is for the next tile alone");
  schedule_for<Agent> mine(call.w, call.dynamic);
  tile<Source> const first(call.in, call.split);
  if (gridDim.x == 1) let_next_launch_start();  // it finds room elsewhere
  await_launches_before();
  if constexpr (Agent::loads_ahead)
    add_each_behind_loads(first, mine, start, add);
  else
    add_each(first, mine, start, add);
}

// All blocks but the first publish their totals, and the first one waits for them. It also has the
// elements beside the whole vectors.
template <class Agent, class Source>
__global__ void __launch_bounds__(Agent::threads, Agent::blocks_a_multiprocessor)
    reduce_any_order(__grid_constant__ any_order_call<Agent, Source> const call) {
  __shared__ typename Agent::shared shared;
  Agent const& agent = call.agent;
  typename Agent::accumulator acc;
  epoch_to_come of_launch;
  add_tiles(call, acc, shared, [&] {
    if (gridDim.x > 1) of_launch.ask(call.w);
    agent.start(acc, shared);
  });
  auto* const sums = Agent::sums <= workspace::max_sums ? call.w.sums() : nullptr;
  mailbox const totals{call.w.words, sums, of_launch.take()};

  if (blockIdx.x > 0) {
    let_next_launch_start();
    agent.close(acc, shared);
    agent.publish(acc, shared, totals);
    return;
  }
  unsigned const head = call.split.head, beside = head + call.split.tail;
  for (unsigned k = threadIdx.x; k < beside; k += blockDim.x) {
    std::uint64_t const i = k < head ? k : call.n - beside + k;
    agent.add(acc, shared, call.in[i], i);
  }
  agent.close(acc, shared);
  if (gridDim.x > 1) {
    agent.collect(acc, shared, totals, gridDim.x - 1);
    if (threadIdx.x == 0) end_epoch(call.w, totals.epoch);
  }
  let_next_launch_start();
  bool const found = agent.finish(acc, shared, call.n, call.out.result);
  if (threadIdx.x == 0 && call.out.found) *call.out.found = found;
}

}  // namespace tally::device
