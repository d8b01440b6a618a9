// SPDX-License-Identifier: Apache-2.0
//
// What a selection in one read keeps, and where: how much room there is for candidates, in a
// block's shared memory and in a team's global memory.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/select/candidates.cuh"
#include "tally/device/top_k/select/place.cuh"
#include "tally/device/top_k/select/ranked.cuh"
#include "tally/device/top_k/select/sample.cuh"

namespace tally::device {

// The largest k of a selection in one read; and of one by index: where too many are at the
// threshold, that is not done in one read.
inline constexpr unsigned most_sampled = 8704, most_by_index = 2304;

// What the blocks of a team add up: how many there are above the threshold and at it, for how many
// of the latter there was room in their blocks, and how many blocks had no room for the former; and
// before which index none of the latter is, ~ that index.
struct sampled_counts {
  unsigned above, ties, held, lacking;
  unsigned first_tie, unused[3];
};
// A team adds up for the guess, and for better ones.
inline constexpr unsigned most_guesses = 4;
inline constexpr unsigned counts_bytes = most_guesses * sizeof(sampled_counts);

// How many candidates there is room for, of a row of which up to `most` are asked, and where it is.
struct sampled_shape {
  static constexpr unsigned least_kept = 1024;  // of a team

  unsigned above, ties, kept, chosen;  // in a block's shared memory
  unsigned all_above, all_ties;        // of a team of several blocks, in global memory
  unsigned keys_at, indices_at, tags_at, bins_at, shared_bytes;
  unsigned all_indices_at, global_bytes;

  template <class Bits, class Index>
  TALLY_HD static constexpr sampled_shape of(unsigned blocks, std::uint64_t most, bool sorted) {
    sampled_shape s{};
    bool const alone = blocks == 1;
    unsigned const k = most < most_sampled ? unsigned(most) : most_sampled;
    unsigned const expected = k * 5 / 2 + 1536, least = sizeof(Bits) == 8 ? 3072 : 5120;
    s.above = !alone ? 2048 + (k > most_by_index ? k / 2 : 0) : expected > least ? expected : least;
    s.ties = alone ? 768 : blocks < large_team || k > 1024 ? 1024 : k > 256 ? k : 256;
    s.kept = alone ? k + 512 : (sorted ? (k + 1) / 2 : k) + least_kept;
    s.chosen = sorted ? 0 : k;
    s.all_above = alone ? 0
                        : (k < most_by_index ? 6 * k : 2 * k + 4 * most_by_index) +
                              (blocks < 32 ? 2048 : 8192);
    s.all_ties = alone ? 0 : (k < most_by_index ? k : most_by_index) + k + 1024;
    s.keys_at = (s.kept + s.chosen) * unsigned(sizeof(Bits) == 8 ? 16 : 8);
    s.indices_at = s.keys_at + rounded(s.above * sizeof(Bits));
    s.tags_at = s.indices_at + rounded((s.above + s.ties) * sizeof(Index));
    s.bins_at = s.tags_at + 2 * (alone ? s.above + s.ties : s.all_above + s.all_ties);
    s.shared_bytes = rounded(s.bins_at + 2 * s.kept);
    s.all_indices_at = counts_bytes + rounded((most_groups + s.all_above) * sizeof(Bits));
    s.global_bytes =
        alone ? 0 : s.all_indices_at + rounded((s.all_above + s.all_ties) * sizeof(Index));
    return s;
  }

 private:
  TALLY_HD static constexpr unsigned rounded(std::size_t bytes) {
    return unsigned((bytes + 15) / 16 * 16);
  }
};

template <class Bits>
TALLY_FN sampling sampling_of(unsigned blocks, std::uint64_t n, std::uint64_t k) {
  return sampling(blocks, n, k, row_batch<Bits>::each);
}

// Addresses are computed where they are needed: it takes less than keeping them.
template <class Bits, class Index>
struct sampled_memory {
  using entry = typename ranked<Bits>::type;

  sampled_shape const& shape;
  std::byte* global;

  __device__ candidate_room<Bits, Index> block() const {
    auto* const indices = at<Index>(shape.indices_at);
    return {at<Bits>(shape.keys_at), indices, shape.above, indices + shape.above, shape.ties};
  }
  __device__ binned<entry> kept() const {
    return {at<entry>(0), at<std::uint16_t>(shape.bins_at), shape.kept};
  }
  __device__ entry* chosen() const { return at<entry>(0) + shape.kept; }
  __device__ std::uint16_t* tags() const { return at<std::uint16_t>(shape.tags_at); }
  // Of the team, if it has several blocks.
  __device__ sampled_counts* counts() const { return reinterpret_cast<sampled_counts*>(global); }
  __device__ Bits* told() const { return reinterpret_cast<Bits*>(global + counts_bytes); }
  __device__ candidate_room<Bits, Index> team() const {
    auto* const indices = reinterpret_cast<Index*>(global + shape.all_indices_at);
    return {told() + most_groups, indices, shape.all_above, indices + shape.all_above,
            shape.all_ties};
  }

 private:
  template <class T>
  __device__ static T* at(unsigned bytes) {
    return reinterpret_cast<T*>(dynamic_shared<unsigned char>() + bytes);
  }
};

template <class Bits>
struct sampled_board {
  group_board<Bits> groups;
  place_board<typename ranked<Bits>::type> place;
  candidate_counts found;
  unsigned base_above, base_ties;
};

}  // namespace tally::device
