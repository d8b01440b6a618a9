// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 10: a counter that every thread of the last block resets.
//
// Page:   done_block_count = 0, outside of any if.
// Wrong:  plain writes of several threads to one place are a race, even of the same value.
// Right:  one thread resets it.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 6;

__global__ void all_threads_reset(unsigned* done) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) is_last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (is_last) *done = 0;
}

show const everyone_resets({
    .page = "T0",
    .bug = "every thread of the last block writes the counter, not one",
    .expected = "race",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<unsigned> const done(std::vector<unsigned>{0});
          tally::launch(all_threads_reset, 1, 64)(done.data());
        },
});

}  // namespace ladder::exhibits
