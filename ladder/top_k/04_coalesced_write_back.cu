// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: a coalesced write-back.
//
// Change:   k threads write the block's list, an element each, where one thread wrote all k.
// Predict:  a store in a loop of one thread is a request of its own, with a sector of its own.
//           Lanes that write neighbours share a request, and a sector holds 8 elements: for k = 10
//           there are 2 sectors a block instead of 10, for k = 48 there are 8, as lists begin in
//           the middle of one. The time stays: as many bytes are written, and before that a block
//           merges 255 lists by k insertions each.
// Measured: on an H200 1,043 us after 1,045 for k = 10, 14,391 after 14,467 for k = 48.
// Bytes:    n elements read, k * n / 256 values written and read.
//
// It needs k <= threads of a block, which four rows of the page's table do not have (exhibit 29).
#include "ladder/top_k/insertion.cuh"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/04_coalesced_write_back",
        .title = "k threads write the block's list",
        .bound = "k <= 48 at 256 threads (96 at 128, then no more than threads): 48 KB of lists; "
                 "one block for k * n / 256 values",
        .page = "stage B: top-k",
        .thread_an_element = true,
        .most_k =
            [](problem const& p) { return std::min<std::size_t>(most_k_of_insertion(p), p.block); },
    },
    one_element_a_thread{})};

}  // namespace ladder::top_k
