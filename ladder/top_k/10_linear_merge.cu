// SPDX-License-Identifier: Apache-2.0
//
// Rung 10: a linear merge.
//
// Change:   two lists are sorted already, so that two pointers merge them: the better of the two
//           heads is next. The result goes to lists of their own, and the next level's back.
// Predict:  k comparisons a merge instead of up to k^2: for k = 48 a block's 8 levels take 384
//           steps instead of thousands. The second half of lists takes half as much memory again:
//           k <= 151 at 256 threads.
// Measured: on an H200 129 us after 180 for k = 10, 3,020 after 5,989 for k = 100.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/threshold.cuh"

namespace ladder::top_k {

// The k best of two lists, in each of which none of the k - 1 first steps comes to the end.
__device__ inline void merge_heads(column a, column b, unsigned k, bool distinct, column to) {
  unsigned in_a = 0, in_b = 0;
  for (unsigned i = 0; i < k; ++i) {
    int const x = a[in_a], y = b[in_b];
    applied();
    to[i] = x < y ? y : x;
    bool const both = distinct && x == y;
    in_a += x >= y;
    in_b += x < y || both;
  }
}

struct linear_merge {
  static std::size_t shared_bytes(problem const& p) {
    return (p.block + (p.block + 1) / 2) * p.k * sizeof(int);
  }

  // Lists of blockDim.x columns, and behind them of half as many.
  __device__ column operator()(int* lists, unsigned k, bool distinct) const {
    unsigned const t = threadIdx.x;
    int *from = lists, *to = lists + blockDim.x * k;
    unsigned from_stride = blockDim.x, to_stride = (blockDim.x + 1) / 2;
    for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
      unsigned const half = (width + 1) / 2;
      column const a{from + t, from_stride}, b{from + t + half, from_stride}, c{to + t, to_stride};
      if (t + half < width)
        merge_heads(a, b, k, distinct, c);
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

static registered const here{column_rung<threshold_first, linear_merge>({
    .id = "top-k/10_linear_merge",
    .title = "Merge by two pointers",
    .bound = "k <= 151 at 256 threads of an H100: 227 KB of lists",
    .most_k = most_k_that_fits<linear_merge>,
})};

}  // namespace ladder::top_k
