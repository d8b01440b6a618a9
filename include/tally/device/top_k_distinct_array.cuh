// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k of different values.
#pragma once

#include <cmath>

#include "tally/device/context_with_room.cuh"
#include "tally/device/select/sampled_shape.cuh"
#include "tally/device/start_teams.cuh"
#include "tally/device/top_k_value_sets.cuh"

namespace tally::detail {

// How much memory a sort of rows takes, of which each has so many blocks: as much as the rows
// twice.
template <class Bits, class Index>
std::size_t bytes_to_sort(unsigned blocks, std::uint64_t teams, gpu_rows const& rows,
                          gpu_selection<Bits> const& how) {
  return teams * device::distinct_memory<Bits, Index>::bytes(blocks, rows.length,
                                                             how.sorted ? 0 : how.most);
}

// By a sort of the rows that `of` has; nothing in it is read here.
template <class Index, memory_context Context, class In>
void sort_distinct_on_gpu(Context& context, device::top_k_request<In> const& call,
                          device::row_list const& of) {
  using bits = bits_of<typename In::element>;
  unsigned const most = 2 * unsigned(context.multiprocessors());
  start_teams<device::top_k_distinct<In, Index>>(
      context, call.rows, {most, most},
      [&](unsigned blocks) { return blocks_of_a_team(call.rows, blocks, 2048); },
      [](unsigned) { return 0; },
      [&](unsigned blocks, unsigned teams) {
        auto const m = context.memory(
            blocks > 1, bytes_to_sort<bits, Index>(blocks, teams, call.rows, call.how));
        return device::distinct_call<In, Index>{call, of, blocks, teams, m.w, m.scratch};
      });
}

// How much memory sets of values take.
template <class Bits, class Index>
std::size_t bytes_of_values(unsigned blocks, std::uint64_t teams, gpu_selection<Bits> const& how) {
  return teams *
         device::value_sets_memory<Bits, Index>::bytes(blocks, how.most, how.sorted ? 0 : how.most);
}

// How many sets become one at once: the blocks' sets do so in two steps, or in more where so many
// lists would be long.
inline unsigned sets_to_one(unsigned blocks, unsigned most) {
  constexpr unsigned entries = 8192;
  for (int steps = 2;; ++steps) {
    auto const fan = unsigned(std::ceil(std::pow(blocks, 1.0 / steps)));
    if (steps == 4 || (fan - 1) * most <= entries) return fan < 2 ? 2 : fan;
  }
}

// By sets of values of the rows that `of` has.
template <class Index, memory_context Context, class In>
void keep_values_on_gpu(Context& context, device::top_k_request<In> const& call,
                        device::row_list const& of) {
  using bits = bits_of<typename In::element>;
  constexpr auto bytes = device::value_set<bits, Index>::bytes;
  constexpr auto board = sizeof(device::value_sets_board<Index>);
  unsigned const most = unsigned(context.multiprocessors()) *
                        blocks_with_room(bytes + board, shared_memory_of(context));
  start_teams<device::top_k_value_sets<In, Index>>(
      context, call.rows, {most, most},
      [&](unsigned blocks) {
        return blocks_of_a_team(call.rows, blocks, device::selecting_tile<bits>);
      },
      [](unsigned) { return bytes; },
      [&](unsigned blocks, unsigned teams) {
        auto const of_list = device::value_set<bits, Index>::most_left(unsigned(call.how.most));
        auto const fan = sets_to_one(blocks, of_list);
        auto const m =
            context.memory(blocks > 1, bytes_of_values<bits, Index>(blocks, teams, call.how));
        return device::value_sets_call<In, Index>{call, of, blocks, teams, fan, m.w, m.scratch};
      });
}

// Whether there is room for sets of as many values as are asked for.
template <class Index, memory_context Context, class Bits>
bool keeps_values(Context& context, gpu_selection<Bits> const& how) {
  constexpr auto needed =
      device::value_set<Bits, Index>::bytes + sizeof(device::value_sets_board<Index>);
  return how.most <= device::most_of_value_set && needed <= shared_memory_of(context);
}

// In one of these ways; nothing in `of` is read here.
template <class Index, memory_context Context, class In>
void distinct_of_rows_on_gpu(Context& context, device::top_k_request<In> const& call,
                             device::row_list const& of) {
  if (keeps_values<Index>(context, call.how))
    keep_values_on_gpu<Index>(context, call, of);
  else
    sort_distinct_on_gpu<Index>(context, call, of);
}
template <class Index, memory_context Context, class In>
std::size_t bytes_of_distinct(Context& context, device::top_k_request<In> const& call) {
  using bits = bits_of<typename In::element>;
  auto const most = 2 * std::uint64_t(context.multiprocessors());
  auto const teams = std::min(call.rows.count, most);
  auto const blocks = unsigned(most / teams);
  return keeps_values<Index>(context, call.how)
             ? bytes_of_values<bits, Index>(blocks, teams, call.how)
             : bytes_to_sort<bits, Index>(blocks, teams, call.rows, call.how);
}

// Where the best go, of which the different ones are looked for, and the rows that are left.
template <class Bits>
struct best_of_rows {
  static std::size_t bytes(std::uint64_t rows, std::uint64_t most) {
    return 16 + rows * (2 * sizeof(std::uint64_t) + most * (sizeof(std::int64_t) + sizeof(Bits)));
  }
  best_of_rows(std::byte* at, std::uint64_t rows, std::uint64_t most)
      : left{reinterpret_cast<unsigned long long*>(at), reinterpret_cast<std::uint64_t*>(at + 16)},
        counts(left.rows + rows),
        indices(reinterpret_cast<std::int64_t*>(counts + rows)),
        values(reinterpret_cast<Bits*>(indices + rows * most)) {}

  device::row_list left;
  std::uint64_t* counts;
  std::int64_t* indices;
  Bits* values;
};

// Looks among a row's best first, which select(context, best) selects; rows of which too many are
// alike are left for the other ways.
template <memory_context Context, class In, class Select>
void look_among_best_on_gpu(Context& context, device::top_k_request<In> const& call,
                            Select select) {
  using bits = bits_of<typename In::element>;
  using found = best_of_rows<bits>;
  auto const& rows = call.rows;
  auto best = call;
  best.how.most = device::best_for_distinct(call.how.most);
  best.how.ks = nullptr, best.how.short_indices = nullptr, best.how.distinct = false;
  device::row_list left{};
  context_with_room with(context, found::bytes(rows.count, best.how.most),
                         bytes_of_distinct<std::uint32_t>(context, call), [&](std::byte* at) {
                           found const here(at, rows.count, best.how.most);
                           best.how.values = here.values, best.how.indices = here.indices;
                           best.how.counts = here.counts;
                           left = here.left;
                         });
  select(with, best);
  check(cudaMemsetAsync(left.count, 0, sizeof *left.count, context.stream()));
  launch_early<device::distinct_among_best<bits>>(
      unsigned(std::min(rows.count, std::uint64_t(16 * context.multiprocessors()))),
      device::among_best_threads, 0,
      context.stream())(device::among_best_call<bits>{rows, call.order, best.how, call.how, left});
  distinct_of_rows_on_gpu<std::uint32_t>(with, call, left);
}

// Whether it pays to look among the best first. A row of few different values is then read twice:
// so long ones of which few are asked for are not, since sets of few values are as quick.
inline bool looks_among_best(gpu_rows const& rows, std::uint64_t k, bool sorted, bool keeps) {
  std::uint64_t const best = device::best_for_distinct(k);
  bool const is_short = rows.length < std::uint64_t(1) << 27;
  return sorted && k > 0 && best <= device::most_sampled && 2 * best < rows.length &&
         rows.length <= device::longest_of_32_bits && (is_short || k > 128 || !keeps);
}

// And whether sets of so many values take longer than a sort of rows that nobody has looked at.
inline bool sorts_rows(gpu_rows const& rows, std::uint64_t k, bool sorted) {
  return !sorted && k > 256 && rows.length < 2048 * k && rows.length <= device::longest_of_32_bits;
}

// Selects the best different values of each row of an input, in memory that the device can read;
// asynchronously. select(context, best) selects a row's best without that.
template <memory_context Context, class In, class Select>
void top_k_distinct_on_gpu(Context& context, device::top_k_request<In> const& call, Select select) {
  auto const& rows = call.rows;
  auto const& how = call.how;
  bool const keeps = keeps_values<std::uint32_t>(context, how);
  if (looks_among_best(rows, how.most, how.sorted, keeps))
    look_among_best_on_gpu(context, call, select);
  else if (sorts_rows(rows, how.most, how.sorted))
    sort_distinct_on_gpu<std::uint32_t>(context, call, {});
  else if (rows.length <= device::longest_of_32_bits)
    distinct_of_rows_on_gpu<std::uint32_t>(context, call, {});
  else
    distinct_of_rows_on_gpu<std::uint64_t>(context, call, {});
}

}  // namespace tally::detail
