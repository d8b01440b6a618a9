// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/columns.cuh"

// What rungs 10 and 11 share: a tree of merges of two lists into a third. It goes to lists of their
// own, half as many, and with the next level back.
namespace ladder::top_k {

// MergeTwo(a, b, k, distinct, to, counts) puts the k best of a and b into `to`, all best first. The
// column `counts` is the calling thread's, if MergeTwo has_counts.
template <class MergeTwo>
struct linear_merge {
  static std::size_t shared_bytes(problem const& p) {
    std::size_t const half = (p.block + 1) / 2;
    return (p.block + (MergeTwo::has_counts ? 2 * half : half)) * p.k * sizeof(int);
  }

  __device__ column operator()(int* lists, unsigned k, bool distinct) const {
    unsigned const t = threadIdx.x, most_half = (blockDim.x + 1) / 2;
    int *from = lists, *to = lists + blockDim.x * k;
    column const counts{MergeTwo::has_counts ? to + most_half * k + t : nullptr, most_half};
    unsigned from_stride = blockDim.x, to_stride = most_half;
    for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
      unsigned const half = (width + 1) / 2;
      column const a{from + t, from_stride}, b{from + t + half, from_stride}, c{to + t, to_stride};
      if (t + half < width)
        MergeTwo{}(a, b, k, distinct, c, counts);
      else if (t < half)
        for (unsigned i = 0; i < k; ++i) c[i] = a[i];
      __syncthreads();
      int* const was_from = from;
      unsigned const was_stride = from_stride;
      from = to, from_stride = to_stride;
      to = was_from, to_stride = was_stride;
    }
    return {from, from_stride};
  }
};

}  // namespace ladder::top_k
