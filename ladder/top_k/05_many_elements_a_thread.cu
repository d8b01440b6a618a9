// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: as many blocks as run at once.
//
// Change:   each thread takes many elements; the kernel is that of rung 4.
// Predict:  faster by far: 528 blocks merge their lists instead of 39063, and the second launch
//           has 74 times fewer values. What is left is mostly insertions: of thread's i-th element
//           with a chance of k / i, so few of them; but for different elements each looks through
//           the whole list.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/insertion.cuh"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/05_many_elements_a_thread",
        .title = "As many blocks as run at once",
        .bound = "k <= 48 at 256 threads: 48 KB of lists; lists in local memory",
        .grid = 528,
        .most_k = most_k_of_insertion,
    },
    all_elements{})};

}  // namespace ladder::top_k
