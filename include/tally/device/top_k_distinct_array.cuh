// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k of different values.
#pragma once

#include <algorithm>

#include "tally/device/context_with_room.cuh"
#include "tally/device/select/sampled_shape.cuh"
#include "tally/device/top_k_distinct.cuh"

namespace tally::detail {

// How much memory a sort of rows takes, of which each has so many blocks.
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
  auto const& rows = call.rows;
  using bits = bits_of<typename In::element>;
  auto const most = 2 * unsigned(context.multiprocessors());
  auto const call_with = [&](unsigned blocks, std::uint64_t teams) {
    auto const m =
        context.memory(blocks > 1, bytes_to_sort<bits, Index>(blocks, teams, rows, call.how));
    return device::distinct_call<In, Index>{call, of, blocks, unsigned(teams), m.w, m.scratch};
  };
  for (unsigned room = most; room > rows.count && rows.count <= device::team::most; room /= 2) {
    auto const tiles = std::max<std::uint64_t>(1, rows.length / 2048);
    auto const blocks = unsigned(std::min<std::uint64_t>(tiles, room / rows.count));
    if (blocks == 1) break;
    if (launch_together<device::top_k_distinct<In, Index>>(
            unsigned(rows.count) * blocks, device::selecting_threads, 0,
            context.stream())(call_with(blocks, rows.count)))
      return;
  }
  // Few at a time, since each has the memory of a whole row.
  auto const blocks = unsigned(std::min<std::uint64_t>(rows.count, most));
  launch_early<device::top_k_distinct<In, Index>>(blocks, device::selecting_threads, 0,
                                                  context.stream())(call_with(1, blocks));
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

// Looks among a row's best first, which select(context, best) selects; rows of too many that are
// alike are sorted.
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
  auto const most = std::uint64_t(2 * context.multiprocessors());
  auto const teams = std::min(rows.count, most);
  context_with_room with(
      context, found::bytes(rows.count, best.how.most),
      bytes_to_sort<bits, std::uint32_t>(unsigned(most / teams), teams, rows, call.how),
      [&](std::byte* at) {
        found const here(at, rows.count, best.how.most);
        best.how.values = here.values, best.how.indices = here.indices;
        best.how.counts = here.counts;
        left = here.left;
      });
  select(with, best);
  check(cudaMemsetAsync(left.count, 0, sizeof *left.count, context.stream()));
  launch_early<device::distinct_among_best<bits>>(
      unsigned(std::min(rows.count, 8 * most)), device::among_best_threads, 0,
      context.stream())(device::among_best_call<bits>{rows, call.order, best.how, call.how, left});
  sort_distinct_on_gpu<std::uint32_t>(with, call, left);
}

// Selects the best different values of each row of an input, in memory that the device can read;
// asynchronously. select(context, best) selects a row's best without that.
template <memory_context Context, class In, class Select>
void top_k_distinct_on_gpu(Context& context, device::top_k_request<In> const& call, Select select) {
  std::uint64_t const k = call.how.most, best = device::best_for_distinct(k);
  std::uint64_t const length = call.rows.length;
  if (call.how.sorted && k > 0 && best <= device::most_sampled && 2 * best < length &&
      length <= device::longest_of_32_bits)
    look_among_best_on_gpu(context, call, select);
  else if (length <= device::longest_of_32_bits)
    sort_distinct_on_gpu<std::uint32_t>(context, call, {});
  else
    sort_distinct_on_gpu<std::uint64_t>(context, call, {});
}

}  // namespace tally::detail
