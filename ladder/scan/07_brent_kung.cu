// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: Brent and Kung's scan of one block (1982).
//
// Change:   a reduction's tree, whose sums stay where they arise, then a second one downwards that
//           gives them to the places between. A thread looks after two elements.
// Predict:  2 n - 2 - log2 n applications: 2036 for 1024, where rung 3 has 9217, and a place gives
//           itself to one other a step. But 2 log2 n - 1 steps instead of log2 n, in most of which
//           few threads have work: 19 for 1024. And the lanes' places are 2 * stride apart: that
//           many of them wait for one bank.
// Measured: on an H200 3.9 us, 1.3 times rung 3: twice the steps cost more than is saved by a
//           fifth of the applications.
// Bytes:    n elements read, n results written.
//
// Two elements a thread of one block: 2048, no more.
#include "ladder/scan/brent_kung.cuh"

namespace ladder::scan {

static registered const here{network_rung<brent_kung>(
    {
        .id = "scan/07_brent_kung",
        .title = "Brent-Kung: 2 log n steps, 2 n applications",
        .bound = "one block of 2 elements a thread, so at most 2048: 21 steps, bank conflicts",
        .page = "algorithm 2, work-efficient",
    },
    2 * most_threads)};

}  // namespace ladder::scan
