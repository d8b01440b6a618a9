// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k of a large k: the selection, and where it is to be sorted, the sort
// that the context has (src/cuda/sort.cu) and what puts its results out.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/top_k_large.cuh"

namespace tally::detail {

// So many blocks share each row. Returns false, and starts nothing, where a device has no room for
// all of them at once.
template <sorting_context Context, class In>
bool select_large_on_gpu(Context& context, device::top_k_request<In> const& call, unsigned blocks) {
  using bits = bits_of<typename In::element>;
  using key = device::sortable<bits>;
  using memory = device::large_memory<bits>;
  std::uint64_t room = 0;
  std::uint64_t const threads = std::uint64_t(blocks) * device::selecting_threads;
  if (device::narrowing::is_worth_it<bits>(threads, call.rows.length, call.how.most))
    room = std::min(call.rows.length,
                    device::narrowing::of<bits>(threads, call.rows.length, call.how.most).room);
  std::size_t const of_teams = call.rows.count * memory::bytes(blocks, call.rows.length, room);
  std::size_t const keys = memory::rounded(call.how.most * sizeof(key)),
                    indices = memory::rounded(call.how.most * sizeof(std::uint32_t));
  std::size_t const of_sort =
      call.how.sorted ? context.sort_scratch(call.how.most, sizeof(key)) : 0;
  auto const m = context.memory(
      1, of_teams + (call.how.sorted ? 2 * (keys + indices) + memory::rounded(of_sort) : 0));

  device::pairs_to_sort<key> pairs{};
  std::byte* at = m.scratch + of_teams;
  if (call.how.sorted) {
    pairs.count = call.how.most;
    for (int i = 0; i < 2; ++i) {
      pairs.keys[i] = reinterpret_cast<key*>(at), at += keys;
      pairs.indices[i] = reinterpret_cast<std::uint32_t*>(at), at += indices;
    }
  }
  if (!launch_together<device::top_k_large<In>>(unsigned(call.rows.count) * blocks,
                                                device::selecting_threads, 0, context.stream())(
          device::top_k_large_call<In>{call, blocks, room, pairs, m.w, m.scratch}))
    return false;
  if (!call.how.sorted) return true;
  int const last = context.sort(pairs, 8 * int(sizeof(bits)), at, of_sort);
  constexpr unsigned block = 256;
  auto const most = std::uint64_t(16 * context.multiprocessors());
  launch_early<device::put_sorted<In>>(
      unsigned(std::min(most, (call.how.most + block - 1) / block)), block, 0, context.stream())(
      call, static_cast<key const*>(pairs.keys[last]),
      static_cast<std::uint32_t const*>(pairs.indices[last]));
  return true;
}

}  // namespace tally::detail
