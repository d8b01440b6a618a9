// SPDX-License-Identifier: Apache-2.0
//
// Values of any trivially copyable type move between the lanes of a group: Width consecutive lanes
// of a warp, Width a power of two up to 32. Lanes are numbered within their group.
//
// All lanes of a group make the same calls together, except lanes that have exited and those that
// the block's size leaves out of its last warp. From these nothing may be read. The groups of a
// warp are independent of one another. No call orders memory.
#pragma once

#include <cstring>
#include <type_traits>

#include "tally/cuda/thread_index.cuh"

namespace tally::warp {

template <int Width = warp_size>
__device__ int lane() {
  static_assert(0 < Width && Width <= warp_size && (Width & (Width - 1)) == 0);
  return int(unsigned(thread_index()) % Width);
}

// How many lanes of the group the block has: fewer than Width at the end of its last warp.
template <int Width = warp_size>
__device__ int live_lanes() {
  int const rest = thread_count() - (thread_index() - lane<Width>());
  return rest < Width ? rest : Width;
}

namespace detail {

// The group as a mask of the warp's lanes, lane 0 in bit 0.
template <int Width>
__device__ unsigned members() {
  if constexpr (Width == warp_size)
    return ~0u;
  else
    return ((1u << Width) - 1) << (lane() - lane<Width>());
}

// Moves x by `move`, four bytes at a time.
template <class T, class Move>
__device__ T by_words(T x, Move move) {
  static_assert(std::is_trivially_copyable_v<T>);
  unsigned words[(sizeof(T) + 3) / 4] = {};
  std::memcpy(words, &x, sizeof(T));
  for (unsigned& word : words) word = move(word);
  std::memcpy(static_cast<void*>(&x), words, sizeof(T));
  return x;
}

}  // namespace detail

// What the lane `from` passed. Lanes may name different ones.
template <int Width = warp_size, class T>
__device__ T broadcast(T x, int from = 0) {
  return detail::by_words(
      x, [=](unsigned word) { return __shfl_sync(detail::members<Width>(), word, from, Width); });
}

// What the lane `by` places before passed; the first `by` lanes keep their own. 0 <= by < Width.
template <int Width = warp_size, class T>
__device__ T shift_up(T x, int by = 1) {
  return detail::by_words(
      x, [=](unsigned word) { return __shfl_up_sync(detail::members<Width>(), word, by, Width); });
}

// What the lane `by` places after passed; the last `by` lanes keep their own. 0 <= by < Width.
template <int Width = warp_size, class T>
__device__ T shift_down(T x, int by = 1) {
  return detail::by_words(x, [=](unsigned word) {
    return __shfl_down_sync(detail::members<Width>(), word, by, Width);
  });
}

// What the lane passed whose number differs in exactly the bits of `flip`. 0 <= flip < Width.
template <int Width = warp_size, class T>
__device__ T exchange(T x, int flip) {
  return detail::by_words(x, [=](unsigned word) {
    return __shfl_xor_sync(detail::members<Width>(), word, flip, Width);
  });
}

}  // namespace tally::warp
