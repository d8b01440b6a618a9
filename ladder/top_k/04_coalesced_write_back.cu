// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: the k best by insertion.
//
// Change:   a list of k instead of a maximum: each thread inserts its elements into its own, the
//           tree inserts the elements of one list into another, and as there is no atomic of k
//           elements, a second launch of one block does it with the lists of all blocks.
// Predict:  slower by orders of magnitude, and the more so the greater k is. An element a thread
//           means lists with one element, merged in k insertions of up to 2 k steps; lists lie k
//           words apart, so that gcd(k, 32) lanes wait for one bank; a list that is indexed at run
//           time lies in memory, not in registers; and one block is left with k * 39063 values.
// Measured: on an H200 1,038 us for k = 10, 17 times rung 1; 14,290 for k = 48.
// Bytes:    n elements read, k * n / 256 values written and read.
//
// The write-back is the page's: a thread an element. It needs k <= threads of a block, which four
// rows of the page's table do not have (exhibit 29).
#include "ladder/top_k/insertion.cuh"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/04_coalesced_write_back",
        .title = "k best by insertion, one element a thread",
        .bound = "k <= 48 at 256 threads (96 at 128, then no more than threads): 48 KB of lists; "
                 "one block for k * n / 256 values",
        .page = "stage B: top-k",
        .thread_an_element = true,
        .most_k =
            [](problem const& p) { return std::min<std::size_t>(most_k_of_insertion(p), p.block); },
    },
    one_element_a_thread{})};

}  // namespace ladder::top_k
