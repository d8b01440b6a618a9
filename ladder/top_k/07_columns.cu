// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: lists side by side.
//
// Change:   lists are in shared memory from the beginning, and there the i-th elements of all of
//           them are neighbours: element i of thread t lies at i * threads + t, not at t * k + i.
//           A merge inserts where its list lies: nothing to store, and one barrier a level.
// Predict:  no bank conflicts, whichever elements the lanes look at: each lane has a bank of its
//           own. Rung 6 has gcd(k, 32) lanes in a bank: 16 for k = 48, 32 for k = 96. And k need
//           not be known to the compiler: no list in local memory.
// Measured: on an H200 slower, 255 us after 169, for k = 48 2,871 after 1,117: there are no
//           conflicts, but every comparison is now in shared memory, where rung 6 goes 2 k times a
//           merge.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/columns.cuh"

namespace ladder::top_k {

static registered const here{column_rung<page_insertion>({
    .id = "top-k/07_columns",
    .title = "Lists side by side in shared memory",
    .bound = "k <= 48 at 256 threads, 96 at 128, 192 at 64, 384 at 32: 48 KB of lists",
    .most_k = [](problem const& p) { return most_k_in(shared_without_asking, p); },
})};

}  // namespace ladder::top_k
