// SPDX-License-Identifier: Apache-2.0
//
// Totals of blocks that are many integers, of which most are zero: only the others are written and
// read. For each 32 words a block has as many slots, the first of which hold its words that are not
// zero; a slot's note tells which words those are. (If all are zero: the first slot, a zero.)
#pragma once

#include "tally/device/slots.cuh"
#include "tally/warp/redux.cuh"

namespace tally::device {

template <int Words>
inline constexpr int slots_of_words = (Words + 31) / 32 * 32;

// word(i), i < Words, is what a block publishes. By all its threads.
template <int Words, class Word>
__device__ void publish_words(Word word, slot* at, std::uint32_t epoch) {
  unsigned const lane = threadIdx.x % warp_size;
  for (unsigned base = threadIdx.x - lane; base < Words; base += blockDim.x) {
    std::uint64_t const mine = base + lane < Words ? word(int(base + lane)) : 0;
    unsigned const which = __ballot_sync(~0u, mine != 0);
    int const place = __popc(which & ((1u << lane) - 1));
    if (mine != 0 || (which == 0 && lane == 0)) publish(at + base + place, mine, epoch, which);
  }
}

// The words of some blocks, one a lane of a warp, of one group of 32.
class word_reader {
 public:
  static constexpr int at_once = 3;

  __device__ word_reader(slot* from, std::uint32_t epoch, bool there)
      : from_(from), epoch_(epoch), which_(0) {
    while (there) {  // all are asked for before one is waited for
#pragma unroll
      for (int j = 0; j < at_once; ++j) first_[j] = read(from + j);
      if (first_[0].epoch != epoch) continue;
      which_ = first_[0].note;
      break;
    }
  }
  __device__ unsigned which() const { return which_; }

  // The word i; whole warps ask for increasing ones.
  __device__ std::uint64_t word(int i) const {
    if (!(which_ >> i & 1)) return 0;
    int const place = __popc(which_ & ((1u << i) - 1));
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (place == j && first_[j].epoch == epoch_) return first_[j].word;
    return await(from_ + place, epoch_);
  }

 private:
  slot* from_;
  std::uint32_t epoch_;
  unsigned which_;
  content first_[at_once];
};

// add(i, sum) for words i that are not zero everywhere: the sum of the words i of some of `blocks`
// blocks, 4 words at a time, those of lanes [8 j, 8 j + 8) for the j-th. By all threads of a block.
template <int Words, class Add>
__device__ void collect_words(slot* slots, int blocks, std::uint32_t epoch, Add add) {
  constexpr int groups = (Words + 31) / 32, at_once = 4;
  int const lane = int(threadIdx.x % warp_size), warps = int(blockDim.x / warp_size);
  int const tasks = (blocks + 31) / 32 * groups;
  for (int task = int(threadIdx.x / warp_size); task < tasks; task += warps) {
    int const block = task / groups * 32 + lane, group = task % groups;
    word_reader const words(slots + block * slots_of_words<Words> + group * 32, epoch,
                            block < blocks);
    unsigned any = warp::detail::redux_of(words.which(), bit_or{});
    while (any != 0) {
      int mine = -1;
      std::uint64_t sum = 0;
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        int const i = __ffs(int(any)) - 1;
        any &= any - 1;
        auto const all = i < 0 ? 0 : warp::detail::redux_of(words.word(i), plus{});
        if (lane / 8 == j) mine = i, sum = all;
      }
      if (mine >= 0) add(group * 32 + mine, std::int64_t(sum), lane % 8);
    }
  }
}

}  // namespace tally::device
