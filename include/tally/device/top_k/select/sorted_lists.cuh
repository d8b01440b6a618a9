// SPDX-License-Identifier: Apache-2.0
//
// Lists of words in a lane's registers, put in falling order by networks whose comparisons are all
// known to the compiler (Batcher, 1968), and the k-th of the lists that several lanes have.
#pragma once

#include <cstdint>

#include "tally/warp/shuffle.cuh"

namespace tally::device {

// One instruction each, of 32 bits; written as a choice they become a comparison and two.
__device__ inline unsigned larger_of(unsigned a, unsigned b) { return max(a, b); }
__device__ inline unsigned smaller_of(unsigned a, unsigned b) { return min(a, b); }
__device__ inline std::uint64_t larger_of(std::uint64_t a, std::uint64_t b) {
  return a < b ? b : a;
}
__device__ inline std::uint64_t smaller_of(std::uint64_t a, std::uint64_t b) {
  return a < b ? a : b;
}

template <class Word>
__device__ void put_larger_first(Word& a, Word& b) {
  Word const most = larger_of(a, b);
  b = smaller_of(a, b), a = most;
}

// Of N words that are `Stride` apart, both halves in order: all in order (odd-even merge).
template <int N, int Stride = 1, class Word>
__device__ void merge_halves(Word* x) {
  if constexpr (N == 2) {
    put_larger_first(x[0], x[Stride]);
  } else {
    merge_halves<N / 2, 2 * Stride>(x);
    merge_halves<N / 2, 2 * Stride>(x + Stride);
#pragma unroll
    for (int i = 1; i + 1 < N; i += 2) put_larger_first(x[i * Stride], x[(i + 1) * Stride]);
  }
}
template <int N, class Word>
__device__ void sort_falling(Word* x) {
  if constexpr (N > 1) {
    sort_falling<N / 2>(x);
    sort_falling<N / 2>(x + N / 2);
    merge_halves<N>(x);
  }
}
// Of N words that rise and then fall, or fall and then rise: all in order (bitonic merge).
template <int N, class Word>
__device__ void sort_bitonic(Word* x) {
  if constexpr (N > 1) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) put_larger_first(x[i], x[i + N / 2]);
    sort_bitonic<N / 2>(x);
    sort_bitonic<N / 2>(x + N / 2);
  }
}

// The K-th largest of the words of a group of lanes, each of which has `Size` of them in falling
// order, in the first places of an array of K; the array is overwritten. Lanes whose numbers differ
// in one bit put theirs together, bit after bit, and keep K at most. All of a warp call together.
template <int K, int Lanes, int Size, int Flip = 1, class Word>
__device__ Word kth_of_lists(Word* x) {
  static_assert(Size <= K && K <= Size * Lanes / Flip);
  if constexpr (Flip == Lanes) {
    return x[K - 1];
  } else if constexpr (Size < K) {
    constexpr int both = 2 * Size < K ? 2 * Size : K;
    static_assert(both == 2 * Size);
#pragma unroll
    for (int i = 0; i < Size; ++i) x[both - 1 - i] = warp::exchange(x[i], Flip);
    sort_bitonic<both>(x);
    return kth_of_lists<K, Lanes, both, 2 * Flip>(x);
  } else {
    // What is best of both is each better one of a list and the other reversed.
    Word other[K];
#pragma unroll
    for (int i = 0; i < K; ++i) other[i] = warp::exchange(x[K - 1 - i], Flip);
#pragma unroll
    for (int i = 0; i < K; ++i) x[i] = larger_of(x[i], other[i]);
    if constexpr (2 * Flip < Lanes) {
      sort_bitonic<K>(x);
      return kth_of_lists<K, Lanes, K, 2 * Flip>(x);
    } else {
      Word least = x[0];
#pragma unroll
      for (int i = 1; i < K; ++i) least = smaller_of(least, x[i]);
      return least;
    }
  }
}

}  // namespace tally::device
