// SPDX-License-Identifier: Apache-2.0
//
// Rung 10: a linear merge.
//
// Change:   two lists are sorted already, so that two pointers merge them: the better of the two
//           heads is next. The result goes to lists of their own, and the next level's back.
// Predict:  k comparisons a merge instead of up to k^2: for k = 48 a block's 8 levels take 384
//           steps instead of thousands. The second half of lists takes half as much memory again:
//           k <= 151 at 256 threads.
// Measured: on an H200 129 us after 180 for k = 10, 3,024 after 5,993 for k = 100.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/linear_merge.cuh"
#include "ladder/top_k/threshold.cuh"

namespace ladder::top_k {

// In neither list one of the k - 1 first steps comes to the end.
struct two_pointers {
  static constexpr bool has_counts = false;

  __device__ void operator()(column a, column b, unsigned k, bool distinct, column to,
                             column) const {
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
};

static registered const here{column_rung<threshold_first, linear_merge<two_pointers>>({
    .id = "top-k/10_linear_merge",
    .title = "Merge by two pointers",
    .bound = "k <= 151 at 256 threads of an H100: 227 KB of lists",
    .most_k = most_k_that_fits<linear_merge<two_pointers>>,
})};

}  // namespace ladder::top_k
