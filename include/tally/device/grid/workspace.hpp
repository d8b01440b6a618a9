// SPDX-License-Identifier: Apache-2.0
//
// What launches on one GPU keep between them, in its memory, and what a call has there beside it.
// Needs no CUDA toolkit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/types.hpp"

namespace tally::device {

// 16 bytes that are written and read in one piece (status_word.cuh).
__extension__ using status_word = unsigned __int128;

// What a call needs between launches. All zero at first; of one launch at a time.
struct workspace {
  static constexpr int max_sums = 512;
  static constexpr std::size_t header_bytes = 16 + 2 * max_sums * sizeof(std::uint64_t);

  std::uint32_t* header;  // the epoch, how many tickets are drawn, who has left, sums, meetings
  status_word* words;
  std::uint64_t count;  // of words, also those that this launch does not need

  TALLY_HD std::uint32_t* epoch() const { return header; }
  TALLY_HD std::uint32_t* drawn() const { return header + 1; }
  TALLY_HD std::uint32_t* left() const { return header + 2; }
  // The epoch and what is drawn, the epoch below.
  TALLY_HD std::uint64_t* epoch_and_drawn() const {
    return reinterpret_cast<std::uint64_t*>(header);
  }
  // Sums that all blocks may add to. They are zero between launches.
  TALLY_HD std::uint64_t* sums() const { return reinterpret_cast<std::uint64_t*>(header + 4); }
  // Two words for each team of blocks that meet (rows/team.cuh).
  TALLY_HD std::uint32_t* meetings() const { return header + 4 + 2 * max_sums; }
};

// And memory of any content, apart from it, which a launch may write as it likes.
struct call_memory {
  workspace w;
  std::byte* scratch;  // aligned to 16 bytes
};

// Pairs of a key and an index that are to be sorted, the keys of a width for which a sort is
// compiled, and memory for as many pairs again.
template <class Key>
struct pairs_to_sort {
  Key* keys[2];
  std::uint32_t* indices[2];
  std::uint64_t count;
};
template <class Bits>
using sortable = std::conditional_t<sizeof(Bits) <= 4, std::uint32_t, std::uint64_t>;

}  // namespace tally::device
