// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k with a payload: a selection, whose indices stay in the workspace, and
// behind it a gather.
#pragma once

#include <algorithm>

#include "tally/device/context_with_room.cuh"
#include "tally/device/payload.cuh"
#include "tally/device/top_k_array.cuh"

namespace tally::detail {

template <class Word, memory_context Context>
void gather_words(Context& context, gpu_rows const& rows, std::uint64_t most,
                  std::int64_t const* indices, gpu_payload const& payload) {
  unsigned shift = 0;
  while (sizeof(Word) << shift < payload.bytes) ++shift;
  auto const blocks =
      ((rows.count * most << shift) + device::gathering_threads - 1) / device::gathering_threads;
  auto const many = std::uint64_t(16 * context.multiprocessors());
  launch_early<device::gather_payload<Word>>(unsigned(std::min(blocks, many)),
                                             device::gathering_threads, 0, context.stream())(
      device::gather_call<Word>{rows, most, indices, static_cast<Word const*>(payload.entries),
                                static_cast<Word*>(payload.chosen), shift});
}

// Of rows that have a place.
template <memory_context Context>
void gather_payload_on_gpu(Context& context, gpu_rows const& rows, std::uint64_t most,
                           std::int64_t const* indices, gpu_payload const& payload) {
  auto const aligned = reinterpret_cast<std::uintptr_t>(payload.entries) |
                       reinterpret_cast<std::uintptr_t>(payload.chosen) | payload.bytes;
  if (aligned % 8 == 0)
    gather_words<std::uint64_t>(context, rows, most, indices, payload);
  else if (aligned % 4 == 0)
    gather_words<std::uint32_t>(context, rows, most, indices, payload);
  else if (aligned % 2 == 0)
    gather_words<std::uint16_t>(context, rows, most, indices, payload);
  else
    gather_words<std::uint8_t>(context, rows, most, indices, payload);
}

// Selects the best of each row of `in`, and what belongs to them, in memory that the device can
// read; asynchronously. Where `how` has the indices go is not looked at.
template <memory_context Context, class In>
void top_k_with_payload_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                               rank_order<bits_of<typename In::element>> const& order,
                               gpu_selection<bits_of<typename In::element>> const& how,
                               gpu_payload const& payload) {
  device::top_k_request<In> call{in, rows, order, how};
  context_with_room with(
      context, rows.count * how.most * sizeof(std::int64_t), 0,
      [&](std::byte* at) { call.how.indices = reinterpret_cast<std::int64_t*>(at); });
  top_k_on_gpu(with, call);
  if (rows.count * how.most > 0)
    gather_payload_on_gpu(context, rows, how.most, call.how.indices, payload);
}

}  // namespace tally::detail
