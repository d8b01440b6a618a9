// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: as many blocks as run at once.
//
// Change:   each thread takes many elements; the kernel is that of rung 5.
// Predict:  faster by far: 528 blocks merge their lists instead of 39063, and the second launch
//           has 74 times fewer values. In an order by chance a thread's i-th element is among its
//           k best so far with a probability of k / i, so that few are put into its list; but of
//           different elements each is looked for in the whole list first.
// Measured: on an H200 169 us after 1,039 for k = 10, 1,117 after 14,373 for k = 48.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/insertion.cuh"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/06_many_elements_a_thread",
        .title = "As many blocks as run at once",
        .bound = "k <= 48 at 256 threads: 48 KB of lists; lists in local memory",
        .grid = 528,
        .most_k = most_k_of_insertion,
    },
    all_elements{})};

}  // namespace ladder::top_k
