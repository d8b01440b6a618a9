// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of one launch tell its first block, in one kernel: by slots, which need no atomic
// counters, no fences and no clearing before the next launch. (What has many words may also add to
// sums, which do; words.cuh.)
//
// A slot is 16 bytes in global memory, written and read in one piece: a word and a tag, which is
// the epoch of the launch that wrote it and a note of 32 bits. The epoch is in global memory too,
// so that a captured launch may be replayed; the first block ends a launch by advancing it, when it
// has seen a slot of every other block. A block waits only for blocks that wait for nobody: they
// need not be resident together.
//
// Where some bits of a slot made no difference, ptxas (13.0) would read the others with two loads,
// of different times: a tag that is new beside a word that is old. So a slot holds the tag combined
// with the word, whose bits all matter then, those that its reader has no use for, too.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tally/warp/shuffle.cuh"

namespace tally::device {

using slot = unsigned __int128;

// What a call needs between launches. All zero at first; of one launch at a time.
struct workspace {
  static constexpr int most_sums = 512;
  static constexpr std::size_t header_bytes = 16 + most_sums * sizeof(std::uint64_t);

  std::uint32_t* header;  // the epoch, how many tickets are drawn, sums
  slot* slots;
  std::uint64_t count;  // of slots there are, also those that this launch does not need

  __host__ __device__ std::uint32_t* epoch() const { return header; }
  __host__ __device__ std::uint32_t* drawn() const { return header + 1; }
  // Which blocks may add to. All zero between launches.
  __host__ __device__ std::uint64_t* sums() const {
    return reinterpret_cast<std::uint64_t*>(header + 4);
  }
};

// By which the other blocks of a launch tell the first one their totals.
struct channel {
  slot* slots;
  std::uint64_t* sums;  // or null
  std::uint32_t epoch;
};

// A launch's epoch: never 0, which is that of slots not yet written. It takes a third of a
// microsecond to come: a warp asks for it when its first elements are on their way, and takes it
// when they are added up. (The shuffle has the compiler not take it before.)
class epoch_to_come {
 public:
  __device__ void ask(workspace const& w) {
    last_ = __nv_atomic_load_n(w.epoch(), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  __device__ std::uint32_t take() const { return warp::broadcast(last_) + 1; }

 private:
  std::uint32_t last_ = 0;
};

__host__ __device__ constexpr std::uint64_t tag_of(std::uint32_t epoch, std::uint32_t note = 0) {
  return std::uint64_t(note) << 32 | epoch;
}

// What was read. (Combined when it is asked for, not before: a load that is looked at is waited
// for.)
struct content {
  std::uint64_t word, combined;
  __device__ std::uint64_t tag() const { return word ^ combined; }
  __device__ std::uint32_t epoch() const { return std::uint32_t(tag()); }
  __device__ std::uint32_t note() const { return std::uint32_t(tag() >> 32); }
};

__device__ inline void publish(slot* at, std::uint64_t word, std::uint64_t tag) {
  slot const s = slot(tag ^ word) << 64 | word;
  __nv_atomic_store_n(at, s, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// The slot as it is now; published if its epoch is the launch's.
__device__ inline content read(slot* at) {
  slot const s = __nv_atomic_load_n(at, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return {std::uint64_t(s), std::uint64_t(s >> 64)};
}

__device__ inline std::uint64_t await(slot* at, std::uint64_t tag) {
  for (;;)
    if (content const c = read(at); c.tag() == tag) return c.word;
}

// A state in as many slots as it has words.
template <class State>
inline constexpr int words_of = (sizeof(State) + 7) / 8;

template <class State>
__device__ void publish_state(State const& s, slot* at, std::uint32_t epoch) {
  std::uint64_t word[words_of<State>] = {};
  memcpy(word, &s, sizeof(State));
  for (int i = 0; i < words_of<State>; ++i) publish(at + i, word[i], tag_of(epoch));
}
// (Up to four words are asked for at once: each comes from L2, as many of them in the same time.)
template <class State>
__device__ State await_state(slot* at, std::uint32_t epoch) {
  constexpr int words = words_of<State>, at_once = words < 4 ? words : 4;
  std::uint64_t word[words];
#pragma unroll
  for (int first = 0; first < words; first += at_once) {
    content c[at_once];
    bool all;
    do {
      all = true;
#pragma unroll
      for (int j = 0; j < at_once && first + j < words; ++j) c[j] = read(at + first + j);
#pragma unroll
      for (int j = 0; j < at_once && first + j < words; ++j) {
        all = all && c[j].tag() == tag_of(epoch);
        word[first + j] = c[j].word;
      }
    } while (!all);
  }
  State s;
  memcpy(&s, word, sizeof(State));
  return s;
}

// By one thread of the first block, when no other block will read the epoch, draw or write a slot.
// 2^32 - 1 launches later an old slot could be taken for a new one: then all are cleared.
__device__ inline void end_epoch(workspace const& w, std::uint32_t epoch) {
  __nv_atomic_store_n(w.drawn(), 0u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  bool const last = epoch == ~std::uint32_t(0);
  if (last)
#pragma unroll 1
    for (std::uint64_t i = 0; i < w.count; ++i) publish(w.slots + i, 0, 0);
  __nv_atomic_store_n(w.epoch(), last ? 0 : epoch, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

}  // namespace tally::device
