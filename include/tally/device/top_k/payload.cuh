// SPDX-License-Identifier: Apache-2.0
//
// What belongs to the best of rows, gathered by their indices when these are known, or entry by
// entry by a kernel that has them.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/top_k/request.hpp"

namespace tally::device {

// Entries are copied by words as wide as they and their addresses allow.
struct payload_words {
  void const* entries = nullptr;
  void* chosen = nullptr;
  unsigned width = 1;  // bytes of a word
  unsigned count = 0;  // words of an entry

  payload_words() = default;
  explicit payload_words(detail::gpu_payload const& of) : entries(of.entries), chosen(of.chosen) {
    auto const aligned = reinterpret_cast<std::uintptr_t>(entries) |
                         reinterpret_cast<std::uintptr_t>(chosen) | of.bytes;
    while (width < 8 && aligned % (2 * width) == 0) width *= 2;
    count = of.bytes / width;
  }

  // Copies an entry to a place; one below 0 is of no element, and becomes zeros.
  __device__ void put(std::uint64_t place, std::int64_t entry) const {
    if (width == 8) return put_words<std::uint64_t>(place, entry);
    if (width == 4) return put_words<std::uint32_t>(place, entry);
    if (width == 2) return put_words<std::uint16_t>(place, entry);
    put_words<std::uint8_t>(place, entry);
  }

 private:
  template <class Word>
  __device__ void put_words(std::uint64_t place, std::int64_t entry) const {
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i)
      static_cast<Word*>(chosen)[place * count + i] =
          entry < 0 ? Word(0) : static_cast<Word const*>(entries)[std::uint64_t(entry) * count + i];
  }
};

inline constexpr unsigned gathering_threads = 256;

template <class Word>
struct gather_call {
  row_layout rows;
  std::uint64_t most;           // places a row
  std::int64_t const* indices;  // of each place; below 0: of no element
  Word const* entries;
  Word* chosen;
  unsigned shift;  // an entry has 2^shift words
};

// A thread a word: neighbours write neighbouring words.
template <class Word>
__global__ void __launch_bounds__(gathering_threads)
    gather_payload(__grid_constant__ gather_call<Word> const call) {
  await_launches_before();
  std::uint64_t const words = call.rows.count * call.most << call.shift;
  std::uint64_t const step = std::uint64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words;
       i += step) {
    std::uint64_t const place = i >> call.shift, within = i & ((1u << call.shift) - 1);
    std::int64_t const index = call.indices[place];
    Word word = 0;
    if (index >= 0) {
      auto const entry = call.rows.begin(place / call.most) + index * call.rows.step;
      word = call.entries[(std::uint64_t(entry) << call.shift) + within];
    }
    call.chosen[i] = word;
  }
}

}  // namespace tally::device

namespace tally::detail {

template <class Word, launch_context Context>
void gather_words(Context& context, row_layout const& rows, std::uint64_t most,
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

// For rows that have a place.
template <launch_context Context>
void gather_payload_on_gpu(Context& context, row_layout const& rows, std::uint64_t most,
                           std::int64_t const* indices, gpu_payload const& payload) {
  auto const width = device::payload_words(payload).width;
  if (width == 8)
    gather_words<std::uint64_t>(context, rows, most, indices, payload);
  else if (width == 4)
    gather_words<std::uint32_t>(context, rows, most, indices, payload);
  else if (width == 2)
    gather_words<std::uint16_t>(context, rows, most, indices, payload);
  else
    gather_words<std::uint8_t>(context, rows, most, indices, payload);
}

}  // namespace tally::detail
