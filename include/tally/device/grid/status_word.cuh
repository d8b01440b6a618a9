// SPDX-License-Identifier: Apache-2.0
//
// Status words, by which the blocks of one launch tell one another what they have (D. Merrill and
// M. Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA, 2016). They need
// no atomic counters, no fences and no clearing before the next launch. A block waits only for
// blocks that wait for nobody, or for tiles that were drawn before its own: blocks need not be
// resident together.
//
// Whatever else is stored among them must have an epoch of 0 if it is read as one: the next launch
// may have its words there. (What is read when a word has come needs a fence before either.)
//
// A status word is 16 bytes in global memory, written and read in one piece: a word and a tag,
// which is the epoch of the launch that wrote it and a note of 32 bits.
//
// If some bits of a status word made no difference, ptxas (13.0) would read the others by two
// loads, at different times: a new tag beside an old word. So it holds the tag combined with the
// word, and all bits matter, even those that a reader has no use for.
#pragma once

#include <cuda_runtime.h>

#include "tally/device/grid/workspace.hpp"

namespace tally::device {

__host__ __device__ constexpr std::uint64_t tag_of(std::uint32_t epoch, std::uint32_t note = 0) {
  return std::uint64_t(note) << 32 | epoch;
}

// What was read of a status word. The tag is computed when it is asked for, not before: a load that
// is looked at is waited for.
struct content {
  std::uint64_t word, combined;
  __device__ std::uint64_t tag() const { return word ^ combined; }
  __device__ std::uint32_t epoch() const { return std::uint32_t(tag()); }
  __device__ std::uint32_t note() const { return std::uint32_t(tag() >> 32); }
};

__device__ inline void publish(status_word* at, std::uint64_t word, std::uint64_t tag) {
  status_word const s = status_word(tag ^ word) << 64 | word;
  __nv_atomic_store_n(at, s, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// The status word as it is now; published if its epoch is the launch's.
__device__ inline content read(status_word* at) {
  status_word const s = __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return {std::uint64_t(s), std::uint64_t(s >> 64)};
}

// Waits for the status word to have this tag, and returns its word.
__device__ inline std::uint64_t await(status_word* at, std::uint64_t tag) {
  for (;;)
    if (content const c = read(at); c.tag() == tag) return c.word;
}

// Where the blocks of a launch tell one another their totals. In a reduction block b publishes for
// the first one, as tile b - 1; in a scan tiles are published for all: a small state by
// tile_states.cuh, an exact sum by exact_totals.cuh. A group of integers goes by sparse_totals.cuh.
struct mailbox {
  status_word* words;
  std::uint64_t* sums;  // which blocks may add to; or null
  std::uint32_t epoch;
  std::uint32_t tiles = 0;  // of a scan
};

}  // namespace tally::device
