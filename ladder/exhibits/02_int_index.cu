// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 2: an int that counts to a size_t.
//
// Page:   int32_t i = ...; i < n; i += total_thread_num, where n is a size_t.
// Wrong:  beyond 2^31 - 1 the sum does not fit: undefined, and in practice negative, which is
//         more than n once it is a size_t. The loop ends early and the rest is never read.
// Right:  indices as wide as n.
//
// The step is taken in unsigned arithmetic, so that what happens in practice is what is defined.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void count_visits(std::size_t n, int stride, int* visits) {
  *visits = 0;
  for (int i = 0; std::size_t(i) < n; i = int(unsigned(i) + unsigned(stride))) ++*visits;
}

show const int_index({
    .page = "T0",
    .bug = "an int32_t index overflows for n > 2^31 - 1 - stride and ends the loop early",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const visits(1);
          tally::launch(count_visits, 1, 1)(std::size_t(3) << 30, 1 << 30, visits.data());
          that.equal("elements visited of 3 * 2^30, 2^30 apart", 3, visits.to_host()[0]);
        },
});

}  // namespace ladder::exhibits
