// SPDX-License-Identifier: Apache-2.0
//
// Totals of blocks that are many integers, of which most are zero: only the others are written and
// read. For each group of words a block has as many places, the first of which hold its words
// that are not zero; the note of each tells which words those are. (If all are zero: the first
// place, a zero.) The same places of 32 blocks lie side by side, for the warp that reads them.
#pragma once

#include "tally/device/grid/status_word.cuh"
#include "tally/warp/redux.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// A warp takes a group at a time: 16 words where there is a warp for each, 32 of more words.
template <int Words>
inline constexpr int words_a_group = Words <= 64 ? 16 : 32;
template <int Words>
inline constexpr int groups_of_words = (Words + words_a_group<Words> - 1) / words_a_group<Words>;
template <int Words>
inline constexpr int status_words_of = groups_of_words<Words> * words_a_group<Words>;

// Where one block of some blocks puts and finds its words.
template <int Words>
class word_places {
 public:
  __device__ word_places(status_word* words, int block, int blocks)
      : side_by_side_(min(warp_size, blocks - block / warp_size * warp_size)),
        first_(words + block / warp_size * warp_size * status_words_of<Words> + block % warp_size) {
  }
  __device__ status_word* operator()(int group, int place) const {
    return first_ + (words_a_group<Words> * group + place) * side_by_side_;
  }

 private:
  int side_by_side_;
  status_word* first_;
};

// A group with more words than this that are not zero does not go by status words: the block adds
// them to global sums by atomics, and publishes a 1 with an empty note, which tells the first block
// to read those sums.
inline constexpr int max_by_status_words = 4;

// Publishes word(i), i < Words, for a block that is not the first; all its threads call it.
template <int Words, class Word>
__device__ void publish_words(Word word, mailbox const& to) {
  constexpr int size = words_a_group<Words>;
  word_places<Words> const at(to.words, int(blockIdx.x) - 1, int(gridDim.x) - 1);
  int const lane = int(threadIdx.x % warp_size), in_group = lane % size;
#pragma unroll 1
  for (int base = int(threadIdx.x) - lane; base < Words; base += int(blockDim.x)) {
    int const i = base + lane;
    std::uint64_t const mine = i < Words ? word(i) : 0;
    unsigned const all = __ballot_sync(~0u, mine != 0) >> (lane - in_group);
    unsigned const which = all & (~0u >> (32 - size));
    bool const adds = to.sums && __popc(which) > max_by_status_words;
    if (__any_sync(~0u, adds)) {
      if (adds && mine != 0)
        __nv_atomic_fetch_add(to.sums + i, mine, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
      __syncwarp();
      __threadfence();
    }
    if (adds) {
      if (in_group == 0) publish(at(i / size, 0), 1, tag_of(to.epoch));
    } else if (mine != 0 || (which == 0 && in_group == 0 && i < Words)) {
      int const place = __popc(which & ((1u << in_group) - 1));
      publish(at(i / size, place), mine, tag_of(to.epoch, which));
    }
  }
}

// Collects every fourth word of the task-th group of 32 blocks by a warp, which is for few blocks.
// (Words that are not zero are mostly neighbours.) `add` is that of collect_words(). Says whether a
// block added words to `sums`.
template <int Words, class Add>
__device__ bool collect_fourth(mailbox const& from, int blocks, int task, int fourth, Add add) {
  constexpr int groups = groups_of_words<Words>, at_once = 4;
  int const lane = int(threadIdx.x % warp_size);
  int const block = task / groups * warp_size + lane, group = task % groups;
  word_places<Words> const at(from.words, block, blocks);
  content c[at_once] = {};
  while (block < blocks && c[0].epoch() != from.epoch)  // more is asked for than is waited for
#pragma unroll
    for (int j = 0; j < at_once; ++j) c[j] = read(at(group, j));
  unsigned const which = block < blocks ? c[0].note() : 0;
  std::uint64_t const tag = tag_of(from.epoch, which);
  unsigned rest = warp::detail::redux_of(which, bit_or{}) & 0x11111111u << fourth;
#pragma unroll 1
  for (; rest != 0; rest &= rest - 1) {
    unsigned const bit = rest & (0 - rest);
    int const place = __popc(which & (bit - 1));
    content mine = c[0];
#pragma unroll
    for (int j = 1; j < at_once; ++j)
      if (place == j) mine = c[j];
    std::uint64_t word = 0;
    if (which & bit)
      word = place < at_once && mine.tag() == tag ? mine.word : await(at(group, place), tag);
    auto const sum = warp::detail::redux_of(word, plus{});
    if (lane < 4) add(group * words_a_group<Words> + __ffs(int(bit)) - 1, std::int64_t(sum), lane);
  }
  return block < blocks && which == 0 && c[0].word != 0;
}

// The words of the lowest bits of `any`, which a block has if they are in `which`, from its places
// from `first` on. Returns the other bits.
template <int Count>
__device__ unsigned take_words(std::uint64_t (&word)[Count], content const (&c)[Count],
                               unsigned which, unsigned any, int first) {
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    unsigned const bit = any & (0 - any);
    any ^= bit;
    int const place = __popc(which & (bit - 1)) - first;  // at most j
    word[j] = c[0].word;
#pragma unroll
    for (int k = 1; k <= j; ++k) word[j] = place == k ? c[k].word : word[j];
    if (!(which & bit)) word[j] = 0;
  }
  return any;
}

// Collects all groups that go by status words, by a block. Says whether a block added words to
// `sums`.
template <int Words, class Add>
__device__ bool collect_status_words(mailbox const& from, int blocks, Add add) {
  constexpr int groups = groups_of_words<Words>, at_once = 4;
  int const lane = int(threadIdx.x % warp_size), warps = int(blockDim.x / warp_size);
  int const tasks = (blocks + warp_size - 1) / warp_size * groups;
  int const warp = int(threadIdx.x / warp_size);
  if (4 * tasks <= warps)
    return warp < 4 * tasks && collect_fourth<Words>(from, blocks, warp / 4, warp % 4, add);
  bool more = false;
  for (int task = warp; task < tasks; task += warps) {
    int const block = task / groups * warp_size + lane, group = task % groups;
    word_places<Words> const at(from.words, block, blocks);
    content c[at_once] = {};  // the block's places from `first` on
    int first = 0;
    while (block < blocks && c[0].epoch() != from.epoch)  // more is asked for than is waited for
#pragma unroll
      for (int j = 0; j < at_once; ++j) c[j] = read(at(group, j));
    unsigned const which = block < blocks ? c[0].note() : 0;
    std::uint64_t const tag = tag_of(from.epoch, which);  // of all the block's places
    more = more || (block < blocks && which == 0 && c[0].word != 0);
    unsigned any = warp::detail::redux_of(which, bit_or{});
    int const count = __popc(which);
    while (any != 0) {
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        while (first + j < count && c[j].tag() != tag) c[j] = read(at(group, first + j));
      std::uint64_t word[at_once];
      unsigned const rest = take_words(word, c, which, any, first);
      first = count - __popc(which & rest);
#pragma unroll
      for (int j = 0; j < at_once; ++j)  // while these are added up
        if (first + j < count) c[j] = read(at(group, first + j));
      int mine = -1;
      std::uint64_t sum = 0;
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (any == 0) break;
        int const i = __ffs(int(any)) - 1;
        any &= any - 1;
        auto const all = warp::detail::redux_of(word[j], plus{});
        if (lane / 4 == j) mine = i, sum = all;
      }
      if (mine >= 0) add(group * words_a_group<Words> + mine, std::int64_t(sum), lane % 4);
    }
  }
  return more;
}

// Calls add(i, sum, piece), piece < 4, for words i that are not zero everywhere: by four threads
// each, with sums of the words i of some of `blocks` blocks. All threads of a block call it, and
// have met when it returns.
template <int Words, class Add>
__device__ void collect_words(mailbox const& from, int blocks, Add add) {
  bool const more = collect_status_words<Words>(from, blocks, add);
  if (more) __threadfence();  // before it status words were read, behind it sums are
  if (!__syncthreads_or(more)) return;
  int const piece = int(threadIdx.x % 4);
#pragma unroll 1
  for (int first = 0; first < Words; first += int(blockDim.x / 4)) {
    int const i = first + int(threadIdx.x / 4);
    std::uint64_t sum = 0;
    if (piece == 0 && i < Words)
      sum = __nv_atomic_exchange_n(from.sums + i, std::uint64_t(0), __NV_ATOMIC_RELAXED,
                                   __NV_THREAD_SCOPE_DEVICE);
    sum = warp::broadcast<4>(sum, 0);
    if (sum != 0) add(i, std::int64_t(sum), piece);
  }
  __syncthreads();
}

}  // namespace tally::device
