// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: the k best by insertion.
//
// Change:   a list of k instead of a maximum, best first: each thread inserts its elements into its
//           own, the tree inserts the elements of one list into another, between the page's two
//           barriers a level again, and one thread writes the block's list in a loop, as it wrote
//           the maximum. There is no atomic of k elements, so a second launch of one block does
//           the same with the lists of all blocks.
// Predict:  slower by orders of magnitude, and the more so the greater k is. An element a thread
//           means lists with one element, merged in k insertions of up to 2 k steps; lists lie k
//           words apart, so that gcd(k, 32) lanes wait for one bank; a list that is indexed at run
//           time lies in memory, not in registers; and one block is left with k * 39063 values.
// Measured: on an H200 1,045 us for k = 10, 17 times rung 1; 14,467 for k = 48.
// Bytes:    n elements read, k * n / 256 values written and read.
#include "ladder/top_k/insertion.cuh"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/03_insertion",
        .title = "k best by insertion, one element a thread",
        .bound = "k <= 48 at 256 threads, 96 at 128, 192 at 64, 384 at 32: 48 KB of lists; one "
                 "block for k * n / threads values",
        .page = "stage B: top-k, before its last edit",
        .thread_an_element = true,
        .most_k = most_k_of_insertion,
    },
    one_thread{})};

}  // namespace ladder::top_k
