// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: Brent and Kung's scan of one block.
//
// Change:   a reduction's tree, whose sums stay where they arise, then a second one downwards that
//           gives them to the places between. A thread looks after two elements.
// Predict:  2 n - 2 - log2 n applications: 2036 for 1024, where rung 3 has 9217. But 2 log2 n - 1
//           steps instead of log2 n, in most of which few threads have work. And the lanes' places
//           are 2 * stride apart: that many of them wait for one bank.
// Measured: on an H200 5.1 us for 2048 elements: an element takes as long as in rung 3.
// Bytes:    n elements read, n results written.
//
// Two elements a thread of one block: 2048, no more.
#include "ladder/scan/brent_kung.cuh"
#include "ladder/scan/noted.cuh"

namespace ladder::scan {

struct in_a_row {
  __host__ __device__ unsigned operator()(unsigned i) const { return i; }
};

static constexpr auto enqueue = [](auto op, auto const* in, unsigned n, auto* out,
                                   cudaStream_t stream = nullptr) {
  enqueue_brent_kung(in, n, out, in_a_row{}, op, stream);
};

static registered const here{one_block(
    {
        .id = "scan/07_brent_kung",
        .title = "Brent-Kung: 2 log n steps, 2 n applications",
        .bound = "one block of 2 elements a thread, so at most 2048: 21 steps, bank conflicts",
        .page = "algorithm 2, work-efficient",
        .steps = [](problem const&) { return watch(enqueue); },
    },
    most_elements, enqueue)};

}  // namespace ladder::scan
