// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of a team tell one another by status words (grid/status_word.cuh), which takes
// half as long as to meet: each waits for the words that it needs, and nobody for a fence or a
// counter. They wait for one another, so they must be resident together.
#pragma once

#include "tally/device/grid/epoch.cuh"
#include "tally/device/select/sampled_shape.cuh"

namespace tally::device {

// The largest k of a launch whose blocks do so: for more there are mostly too many entries.
inline constexpr unsigned most_told = 160;

// Of one team, in the only row that it has in the launch: a word is told once. All threads of its
// blocks call its members together, but for those that tell or await one word.
template <class Bits>
class team_words {
 public:
  static constexpr unsigned most_entries = 512;
  static_assert(most_entries + 3 <= sampled_shape::least_kept);
  // A team's, in the workspace: of parts of groups, of blocks, and of entries.
  static constexpr unsigned count = 2 * most_groups + most_entries;

  // Behind await_launches_before(). Are they not told, there need be none in the workspace.
  __device__ team_words(workspace const& w, unsigned team, bool are_told)
      : w_(w), first_(w.words + std::uint64_t(team) * count), are_told_(are_told) {
    if (are_told) of_launch_.ask(w);
  }
  __device__ bool are_told() const { return are_told_; }
  // When there was time for the epoch to come, before anything is told. All warps then have it, so
  // that whoever sees a word of this block may end it.
  __device__ void begin() { epoch_ = of_launch_.take(), has_begun_ = true; }

  __device__ void tell_best(unsigned part, Bits key) const {
    publish(first_ + part, key, tag_of(epoch_));
  }
  __device__ Bits best(unsigned part) const { return Bits(await(first_ + part, tag_of(epoch_))); }

  // What all blocks have found, and those before this one, which has found `mine`. `of_warps` is in
  // shared memory.
  __device__ added_counts add_up(team const& all, added_counts* of_warps,
                                 candidate_counts const& mine) const {
    unsigned const t = threadIdx.x;
    if (t == 0) publish(counts_ + all.rank(), mine.above, tag_of(epoch_, mine.ties));
    if (t / 32 * 32 < all.blocks()) {
      candidate_counts of{};
      if (t < all.blocks()) {
        content const found = awaited(counts_ + t);
        of = {unsigned(found.word), found.note(), 0};
      }
      bool const is_before = t < all.rank();
      added_counts const sums{warp::all_reduce(of.above, plus{}), warp::all_reduce(of.ties, plus{}),
                              warp::all_reduce(is_before ? of.above : 0, plus{}),
                              warp::all_reduce(is_before ? of.ties : 0, plus{})};
      if (t % 32 == 0) of_warps[t / 32] = sums;
    }
    __syncthreads();
    added_counts found{0, 0, 0, 0};
#pragma unroll 1
    for (unsigned w = 0; 32 * w < all.blocks(); ++w) {
      added_counts const sums = of_warps[w];
      found.above += sums.above, found.ties += sums.ties;
      found.above_before += sums.above_before, found.ties_before += sums.ties_before;
    }
    return found;
  }

  __device__ void tell_entry(unsigned i, Bits key, std::uint32_t index) const {
    publish(entries_ + i, key, tag_of(epoch_, index));
  }
  __device__ typename ranked<Bits>::type entry(unsigned i) const {
    content const found = awaited(entries_ + i);
    return ranked<Bits>::of(Bits(found.word), found.note());
  }

  // Ends the row, and by the last of so many teams the epoch. Whoever ends it has seen a word of
  // each block that has told any; it clears all words when epochs begin anew, and then they must
  // have been read, too.
  __device__ void end(team& all, unsigned teams) {
    if (!are_told_) return;
    bool const has_told = has_begun_;
    if (!has_begun_) begin();
    if (has_told && epoch_ == ~std::uint32_t(0)) all.meet();
    if (all.rank() > 0 || threadIdx.x > 0) return;
    auto const add = [&] {
      return __nv_atomic_fetch_add(w_.drawn(), 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    };
    if (teams == 1 || add() == teams - 1) end_epoch(w_, epoch_);
  }

 private:
  __device__ content awaited(status_word* at) const {
    for (;;)
      if (content const found = read(at); found.epoch() == epoch_) return found;
  }

  workspace const& w_;
  status_word *first_, *counts_ = first_ + most_groups, *entries_ = counts_ + most_groups;
  epoch_to_come of_launch_;
  std::uint32_t epoch_ = 0;
  bool are_told_, has_begun_ = false;
};

}  // namespace tally::device
