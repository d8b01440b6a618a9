// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: a write-back for any k.
//
// Change:   a loop: a block of 32 threads writes lists of 384, too.
// Predict:  the same time for the k that rung 4 can do. Smaller blocks can do greater k, as what
//           limits k is that the lists of a block's threads fit into 48 KB: k <= 48 at 256 threads,
//           96 at 128, 192 at 64, 384 at 32. But then few threads run on an SM, and each block
//           leaves k values of the k * n / threads that one block has to read: of 384 at 32 threads
//           12 times the input.
// Measured: on an H200 1,039 us for k = 10, as rung 4; 11.1 s for k = 384 at 32 threads.
// Bytes:    n elements read, k * n / threads values written and read.
//
// The drawing says which share of an SM's threads can run then: the page gives 6.25, 3.125 and
// 1.5625 % for 128, 64 and 32 threads, which is so where the SM has room for one block of 48 KB.
#include "ladder/top_k/insertion.cuh"
#include "ladder/top_k/occupancy.hpp"

namespace ladder::top_k {

static registered const here{insertion_rung(
    {
        .id = "top-k/05_any_write_back",
        .title = "A write-back for any k",
        .bound = "k <= 48 at 256 threads, 96 at 128, 192 at 64, 384 at 32: 48 KB of lists; one "
                 "block for k * n / threads values",
        .thread_an_element = true,
        .most_k = most_k_of_insertion,
        .draw = [](problem const&) { return draw_occupancy(); },
    },
    all_elements{})};

}  // namespace ladder::top_k
