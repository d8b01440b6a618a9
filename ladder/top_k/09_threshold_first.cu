// SPDX-License-Identifier: Apache-2.0
//
// Rung 9: the threshold first.
//
// Change:   an element is compared with the worst of the list first, and goes no further if it is
//           no better. The page looks for an equal one in the whole list before that. Here that is
//           seen where the element would go: its place is found first, then others make room.
// Predict:  of different elements in an order by chance the i-th is among the k best so far with
//           a probability of k / i: nearly all cost one comparison instead of k + 1. The merges
//           remain: k insertions each, up to k^2 comparisons. Where equal elements each count, the
//           page looks for none: nothing to gain, and a list is gone through twice, not once.
// Measured: on an H200 180 us after 254 for k = 10, 5,993 after 16,173 for k = 100. Where equal
//           elements each count 180 after 133.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/threshold.cuh"

namespace ladder::top_k {

static registered const here{column_rung<threshold_first>({
    .id = "top-k/09_threshold_first",
    .title = "Compare with the worst of the list first",
    .bound = "k <= 227 at 256 threads of an H100: 227 KB of lists; k^2 a merge",
    .most_k = most_k_that_fits<merge_by_insertion<threshold_first>>,
})};

}  // namespace ladder::top_k
