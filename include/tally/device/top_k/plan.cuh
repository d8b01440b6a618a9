// SPDX-License-Identifier: Apache-2.0
//
// Which kernel selects, as a value: docs/how_gpu_selections_work.md says why. Nothing is started
// here, and no GPU is asked.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tally/device/rows/teams.hpp"
#include "tally/device/top_k/by_block.cuh"
#include "tally/device/top_k/by_team.cuh"
#include "tally/device/top_k/by_warp.cuh"
#include "tally/device/top_k/distinct/value_sets.cuh"
#include "tally/device/top_k/large.cuh"
#include "tally/device/top_k/short_rows.cuh"

namespace tally::detail {

// Lanes of a warp a row, held in registers; a warp a row, streamed; a block a row, held in
// registers; teams of blocks, by a guessed threshold or by digits; teams that narrow a row for a
// large k.
enum class top_k_way : unsigned char { short_rows, warp_rows, block_rows, teams, large };

struct top_k_plan {
  top_k_way way;
  row_teams on{1, 1};      // of teams, and of a large k
  bool samples = false;    // teams try to do with one read
  bool wide = false;       // they count in 64 bits
  device::row_lanes in{};  // short rows
};

inline std::string to_text(row_teams const& on) {
  auto const of = [](unsigned count, char const* what) {
    return std::to_string(count) + what + (count == 1 ? "" : "s");
  };
  auto const threads = " of " + std::to_string(device::selecting_threads) + " threads";
  if (on.meet()) return of(on.teams, " team") + " of " + of(on.blocks, " block") + threads;
  return of(on.teams, " block") + threads + (on.teams > 1 ? " with rows of their own" : "");
}
inline std::string to_text(top_k_plan const& plan) {
  switch (plan.way) {
    case top_k_way::short_rows: return std::to_string(plan.in.lanes) + " lanes a row, in registers";
    case top_k_way::warp_rows: return "a warp a row, streamed";
    case top_k_way::block_rows: return "a block a row, in registers";
    case top_k_way::large: return "a large k, narrowed by " + to_text(plan.on);
    case top_k_way::teams: break;
  }
  return (plan.samples ? "a guessed threshold, by " : "digits, by ") + to_text(plan.on) +
         (plan.wide ? ", counting in 64 bits" : "");
}

// The sample by which a team of so many blocks guesses where the k best of the longest row end.
template <class Bits>
device::sampling guess_for(row_layout const& rows, std::uint64_t k, unsigned blocks) {
  return device::sampling_of<Bits>(blocks, std::max<std::uint64_t>(1, rows.length), k);
}
template <class Bits, class Index = std::uint32_t>
device::sampled_shape shape_for(std::uint64_t k, bool sorted, unsigned blocks) {
  return device::sampled_shape::of<Bits, Index>(blocks, k, sorted);
}
template <class Bits, class Index = std::uint32_t>
std::size_t shared_by_team(std::uint64_t k, bool sorted, unsigned blocks) {
  return shape_for<Bits, Index>(k, sorted, blocks).shared_bytes +
         sizeof(device::top_k_board<Bits, Index>);
}

// By teams of blocks, whatever the rows are.
template <class Bits>
top_k_plan choose_teams(row_layout const& rows, gpu_selection<Bits> const& how,
                        gpu_limits const& gpu, bool may_sample = true) {
  constexpr auto tile = device::selecting_tile<Bits>;
  std::uint64_t const n = rows.length, k = how.most;
  auto const share = [&](unsigned together) {
    return teams_for(rows, tile, together, 4 * gpu.multiprocessors, device::most_groups);
  };
  top_k_plan plan{top_k_way::teams};
  plan.wide = n > device::longest_of_32_bits;
  std::size_t const room =
      plan.wide ? shared_by_team<Bits, std::uint64_t>(k, how.sorted, device::most_groups)
                : shared_by_team<Bits>(k, how.sorted, device::most_groups);
  plan.on = share(gpu.together * blocks_with_room(room, gpu.shared_memory));
  // Blocks that hold a row at once look at it only once; and up to eight take less time.
  std::uint64_t const needed = (n + tile - 1) / tile;
  std::uint64_t const most = std::min<std::uint64_t>(
      gpu.together / std::max<std::uint64_t>(1, rows.count), device::most_groups);
  if (needed > 1 && needed <= most && rows.count <= device::team::most)
    plan.on = {unsigned(std::max(needed, std::min<std::uint64_t>(most, 8))), unsigned(rows.count)};
  plan.samples = !plan.wide &&
                 shared_by_team<Bits>(k, how.sorted, plan.on.blocks) <= gpu.shared_memory &&
                 (may_sample || k <= device::most_by_index);
  bool const in_one_read =
      k <= device::most_by_index || (plan.samples && how.sorted && k <= device::most_sampled &&
                                     guess_for<Bits>(rows, k, plan.on.blocks).can_tell());
  if (plan.wide || in_one_read) return plan;
  // Another library's sort puts one row in order; by index only what is narrowed is sooner there.
  auto const all = share(2 * gpu.together);
  std::uint64_t const threads = std::uint64_t(all.blocks) * device::selecting_threads;
  bool const is_sooner = how.sorted ? gpu.sorts && rows.count == 1
                                    : device::narrowing::is_worth_it<Bits>(threads, n, k);
  if (all.meet() && is_sooner) plan.way = top_k_way::large, plan.on = all;
  return plan;
}

// The fewest lanes that hold a row have the least to tell one another; of few rows, more lanes are
// sooner. None where there is no such kernel.
template <class In>
device::row_lanes choose_lanes(std::uint64_t n, std::uint64_t k, bool many) {
  using known = device::short_rows_shapes<In>;
  if (k > std::uint64_t(known::most.back())) return {};
  if (!many && n <= known::of_few.longest()) return known::of_few;
  for (auto const& one : known::all)
    if (n <= one.longest()) return one;
  return {};
}

inline bool are_many(row_layout const& rows, gpu_limits const& gpu) {
  return rows.count >= device::warp_rows_of_a_multiprocessor * gpu.multiprocessors;
}

template <class Bits, class In = array_input<Bits>>
top_k_plan choose_top_k(row_layout const& rows, gpu_selection<Bits> const& how,
                        gpu_limits const& gpu) {
  std::uint64_t const n = rows.length, k = how.most;
  bool const many = are_many(rows, gpu);
  if (auto const in = choose_lanes<In>(n, k, many); in.lanes > 0)
    return {.way = top_k_way::short_rows, .in = in};
  if (many && n <= device::longest_warp_row && k <= device::most_of_warp_row &&
      device::warp_rows_shared_bytes<Bits>(k) <= gpu.shared_memory)
    return {top_k_way::warp_rows};
  if (n <= device::longest_block_row<Bits> &&
      device::block_rows_room<Bits>(k, n, how.sorted).bytes() +
              sizeof(device::block_rows_board<typename device::ranked<Bits>::type>) <=
          gpu.shared_memory)
    return {top_k_way::block_rows};
  return choose_teams(rows, how, gpu);
}

// Different values only: lanes have short rows in registers; of others values are looked for among
// the best first, if that pays, and the rows of which too many are alike, or all, are left for sets
// of values or for a sort.
struct distinct_plan {
  device::row_lanes in{};  // short rows
  bool among_best;
  top_k_plan best;  // how some more than are asked for are selected
  bool by_values;
  row_teams on;
  unsigned fan;  // so many sets of values become one at once
  bool wide;
};

inline std::string to_text(distinct_plan const& plan) {
  if (plan.in.lanes > 0)
    return "different values by " + std::to_string(plan.in.lanes) + " lanes a row, in registers";
  auto const rest = (plan.by_values ? "sets of values, by " : "a sort, by ") + to_text(plan.on);
  if (!plan.among_best) return "different values by " + rest;
  return "different values among the best (" + to_text(plan.best) + "), else by " + rest;
}

// How many sets become one at once: all of few blocks', those of others in two steps, or in more
// where so many lists would be long.
inline unsigned sets_to_one(unsigned blocks, unsigned most) {
  constexpr unsigned few = 2048, entries = 8192;
  for (int steps = blocks * most <= few ? 1 : 2;; ++steps) {
    auto const fan = unsigned(std::ceil(std::pow(blocks, 1.0 / steps)));
    if (steps == 4 || (fan - 1) * most <= entries) return fan < 2 ? 2 : fan;
  }
}

// The lanes that have short rows; of arrays alone, since callers compile those of other inputs.
template <class Bits, class In>
device::row_lanes choose_value_lanes(std::uint64_t n, std::uint64_t k) {
  if constexpr (std::is_same_v<In, array_input<Bits>>)
    for (auto const& one : device::short_values_lanes<Bits>)
      if (device::has_lanes_for(one, n, k)) return one;
  return {};
}

template <class Bits, class In = array_input<Bits>>
distinct_plan choose_distinct(row_layout const& rows, gpu_selection<Bits> const& how,
                              gpu_limits const& gpu) {
  std::uint64_t const n = rows.length, k = how.most, best = device::best_for_distinct(k);
  distinct_plan plan{};
  plan.in = choose_value_lanes<Bits, In>(n, k);
  if (plan.in.lanes > 0) return plan;
  plan.wide = n > device::longest_of_32_bits;
  std::size_t const set_bytes = plan.wide ? device::value_sets_shared_bytes<Bits, std::uint64_t>
                                          : device::value_sets_shared_bytes<Bits, std::uint32_t>;
  plan.by_values = k <= device::most_of_value_set && set_bytes <= gpu.shared_memory;
  // A row of few different values is read twice where the best are looked at first: so long ones of
  // which few are asked for are not, since sets of few values are as quick; nor are narrow
  // elements, many of which are alike, but for the first few of 16 bits of a row that is not long.
  bool const are_alike = sizeof(Bits) == 1 || (sizeof(Bits) == 2 && (k > 16 || n > 1 << 18));
  bool const pays = !are_alike && (n < std::uint64_t(1) << 27 || k > 128);
  plan.among_best = how.sorted && k > 0 && best <= device::most_sampled && 2 * best < n &&
                    !plan.wide && (pays || !plan.by_values);
  if (plan.among_best) {
    auto some_more = how;
    some_more.most = best, some_more.distinct = false;
    plan.best = choose_top_k<Bits, In>(rows, some_more, gpu);
  } else if (!how.sorted && k > 256 && n < 2048 * k && !plan.wide) {
    plan.by_values = false;  // sets of so many take longer than a sort
  }
  if (n <= device::selecting_threads) plan.by_values = false;  // a set is cleared for each row
  unsigned const each = plan.by_values ? blocks_with_room(set_bytes, gpu.shared_memory) : 2;
  constexpr auto tile = device::selecting_tile<Bits> / (sizeof(Bits) == 2 ? 2 : 1);
  plan.on = teams_for(rows, plan.by_values ? tile : 2048, each * gpu.together,
                      each * gpu.multiprocessors);
  plan.fan =
      sets_to_one(plan.on.blocks, device::value_set<Bits, std::uint32_t>::most_left(unsigned(k)));
  return plan;
}

}  // namespace tally::detail
