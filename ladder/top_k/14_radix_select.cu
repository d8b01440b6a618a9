// SPDX-License-Identifier: Apache-2.0
//
// Rung 14: radix select.
//
// Change:   no sample. The buckets of rung 12 by binary digits: 256 of them, from the first digits
//           on; no look for the ends before. It is the same kernel, with a shift for the division.
// Predict:  whatever the elements are, 8 rounds of 8 digits, 5 to 8 only among equal ones. Of the
//           page's numbers 39,000 are left after one round, 150 after two: four passes over the
//           array. The time hardly depends on k, nor on how the elements are spread.
// Measured: on an H200 141 us for k = 10, 140 for k = 100.
// Bytes:    n elements read 4 to 9 times.
#include "ladder/top_k/radix.cuh"

namespace ladder::top_k {

static registered const here{cut_rung({
    .id = "top-k/14_radix_select",
    .title = "Radix select: 8 digits a round",
    .bound = "reading, 4 times or more",
    .enqueue = [](problem const& p) { enqueue_radix_cut(p, entries_of(p)); },
})};

}  // namespace ladder::top_k
