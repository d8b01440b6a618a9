// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k with a payload: a selection, whose indices stay in the workspace, and
// behind it a gather.
#pragma once

#include <algorithm>

#include "tally/device/payload.cuh"
#include "tally/device/top_k_array.cuh"

namespace tally::detail {

// A context whose launches leave room for indices behind their own scratch. Memory that grows is
// elsewhere, so how.indices is set whenever a launch asks for memory: what starts a launch copies
// `how` after that.
template <memory_context Context, class Bits>
class context_with_indices {
 public:
  context_with_indices(Context& context, gpu_selection<Bits>& how, std::uint64_t indices)
      : context_(context), how_(how), bytes_(std::size_t(indices) * sizeof(std::int64_t)) {
    memory(0, 0);
  }
  CUstream_st* stream() { return context_.stream(); }
  int multiprocessors() { return context_.multiprocessors(); }
  device::workspace workspace(std::size_t words) { return memory(words, 0).w; }
  device::call_memory memory(std::size_t words, std::size_t scratch) {
    std::size_t const own = (scratch + 15) / 16 * 16;
    auto const found = context_.memory(words, own + bytes_);
    how_.indices = reinterpret_cast<std::int64_t*>(found.scratch + own);
    return found;
  }
  std::size_t sort_scratch(std::uint64_t count, std::size_t key_bytes)
    requires sorting_context<Context>
  {
    return context_.sort_scratch(count, key_bytes);
  }
  template <class Key>
    requires sorting_context<Context>
  int sort(device::pairs_to_sort<Key> const& pairs, int bits, std::byte* scratch,
           std::size_t scratch_bytes) {
    return context_.sort(pairs, bits, scratch, scratch_bytes);
  }

 private:
  Context& context_;
  gpu_selection<Bits>& how_;
  std::size_t bytes_;
};

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
                               gpu_selection<bits_of<typename In::element>> how,
                               gpu_payload const& payload) {
  context_with_indices with(context, how, rows.count * how.most);
  top_k_on_gpu(with, in, rows, order, how);
  if (rows.count * how.most > 0)
    gather_payload_on_gpu(context, rows, how.most, how.indices, payload);
}

}  // namespace tally::detail
