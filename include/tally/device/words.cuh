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
  int const lane = int(threadIdx.x % warp_size);
  for (int base = int(threadIdx.x) - lane; base < Words; base += int(blockDim.x)) {
    std::uint64_t const mine = base + lane < Words ? word(base + lane) : 0;
    unsigned const there = __ballot_sync(~0u, mine != 0);
    slot* const group = at + base / 32 * 33;
    if (mine != 0) publish(group + 1 + lane, mine, epoch);
    if (lane == 0) publish(group, there, epoch);
  }
}

// add(i, sum) for words i that are not zero everywhere: the sum of the words i of some of `blocks`
// blocks. By all threads of a block, add() by one warp together.
//
// word(i), i < Words, is what this block would publish: where its words are not zero the others' are
// likely to be, too, and are asked for at once.
template <int Words, class Word, class Add>
__device__ void collect_words(slot* slots, int blocks, std::uint32_t epoch, Word own, Add add) {
  constexpr int groups = (Words + 31) / 32, at_once = 4;
  int const lane = int(threadIdx.x % warp_size), warps = int(blockDim.x / warp_size);
  int const tasks = (blocks + 31) / 32 * groups;
  for (int task = int(threadIdx.x / warp_size); task < tasks; task += warps) {
    int const block = task / groups * 32 + lane, group = task % groups;
    slot* const from = slots + block * slots_of_words<Words> + group * 33;
    int const mine = group * 32 + lane;
    unsigned likely = __ballot_sync(~0u, mine < Words && own(mine) != 0), any = likely;
    bool first = true;
    unsigned has = 0;
    do {
      int which[at_once];
      std::uint64_t word[at_once];
      bool ready[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        which[j] = __ffs(int(any)) - 1;
        any &= any - 1;
        word[j] = 0;
        ready[j] = block < blocks && which[j] >= 0 && (first || has >> which[j] & 1) &&
                   read(from + 1 + which[j], epoch, word[j]);
      }
      if (first) {
        has = block < blocks ? unsigned(await(from, epoch)) : 0;
        any |= warp::detail::redux_of(has & ~likely, bit_or{});
        first = false;
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        bool const counts = which[j] >= 0 && has >> which[j] & 1;
        if (counts && !ready[j]) word[j] = await(from + 1 + which[j], epoch);
        word[j] = warp::detail::redux_of(counts ? word[j] : 0, plus{});
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (which[j] >= 0) add(group * 32 + which[j], std::int64_t(word[j]));
    } while (any != 0);
  }
}

}  // namespace tally::device
