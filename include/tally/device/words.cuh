// SPDX-License-Identifier: Apache-2.0
//
// Totals of blocks that are many integers, of which most are zero: only the others are written and
// read. In a block's slots, 32 words take 33: which of them are not zero, and those.
#pragma once

#include "tally/device/slots.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

template <int Words>
inline constexpr int slots_of_words = (Words + 31) / 32 * 33;

// word(i), i < Words, is what a block publishes. By all its threads.
template <int Words, class Word>
__device__ void publish_words(Word word, slot* at, std::uint32_t epoch) {
  int const lane = warp::lane();
  for (int base = thread_index() - lane; base < Words; base += thread_count()) {
    std::uint64_t const mine = base + lane < Words ? word(base + lane) : 0;
    unsigned const there = __ballot_sync(~0u, mine != 0);
    slot* const group = at + base / 32 * 33;
    if (mine != 0) publish(group + 1 + lane, mine, epoch);
    if (lane == 0) publish(group, there, epoch);
  }
}

// Adds to total[i], in shared memory, the word i of every one of `blocks` blocks. By all threads of
// a block, with a barrier before and after.
template <int Words>
__device__ void collect_words(unsigned long long* total, slot* slots, int blocks,
                              std::uint32_t epoch) {
  constexpr int groups = (Words + 31) / 32, at_once = 4;
  int const lane = warp::lane(), warps = thread_count() / warp_size;
  int const tasks = (blocks + 31) / 32 * groups;
  for (int task = thread_index() / warp_size; task < tasks; task += warps) {
    int const block = task / groups * 32 + lane, group = task % groups;
    slot* const from = slots + block * slots_of_words<Words> + group * 33;
    unsigned const there = block < blocks ? unsigned(await(from, epoch)) : 0;
    unsigned any = warp::detail::redux_of(there, bit_or{});
    while (any != 0) {
      int which[at_once];
      std::uint64_t word[at_once];
      bool ready[at_once];
      for (int j = 0; j < at_once; ++j) {
        which[j] = __ffs(int(any)) - 1;
        any &= any - 1;
        bool const mine = which[j] >= 0 && there >> which[j] & 1;
        word[j] = 0;
        ready[j] = !mine || read(from + 1 + which[j], epoch, word[j]);
      }
      for (int j = 0; j < at_once; ++j) {
        if (which[j] < 0) break;
        if (!ready[j]) word[j] = await(from + 1 + which[j], epoch);
        auto const sum = warp::detail::redux_of(word[j], plus{});
        if (lane == 0) atomicAdd(&total[group * 32 + which[j]], (unsigned long long)sum);
      }
    }
  }
}

}  // namespace tally::device
