// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: more than 48 KB.
//
// Change:   the launch asks for the shared memory that it needs: a block may have 227 KB on an
//           H100, 163 on an A100, 99 on a GeForce. That 48 KB are the limit of variables whose
//           size the compiler knows is so on each of them.
// Predict:  k up to 227 at 256 threads, 1816 at 32. No faster: the greater the lists, the fewer
//           threads are there at once, and what is done for each element grows with k.
// Measured: on an H200 254 us for k = 10, as rung 7; 16,173 for k = 100.
// Bytes:    n elements read, k * 528 values written and read.
#include "ladder/top_k/columns.cuh"

namespace ladder::top_k {

static registered const here{column_rung<page_insertion>({
    .id = "top-k/08_opt_in",
    .title = "Shared memory past 48 KB",
    .bound = "k <= 227 at 256 threads of an H100, 1816 at 32: 227 KB of lists",
    .most_k = most_k_that_fits<merge_by_insertion<page_insertion>>,
})};

}  // namespace ladder::top_k
