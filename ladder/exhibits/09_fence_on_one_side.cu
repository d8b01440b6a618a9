// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 9: a fence before the counter, and none behind it.
//
// Page:   each block writes its sum, fences, and counts itself done; the last one reads all sums.
// Wrong:  a fence orders the writer's half. The reader's loads may still be older than its own
//         atomicAdd: it needs a fence behind it, too.
// Right:  __threadfence() on both sides, or an atomic that acquires and releases.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 7;

__global__ void no_fence_behind(int* partial, unsigned* done, int* out) {
  partial[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
  *out = sum;
}

show const fence_on_one_side({
    .page = "T0",
    .bug = "the last block reads the others' sums with no fence behind its atomicAdd",
    .expected = "race",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const partial(32), out(1);
          tally::device_array<unsigned> const done(std::vector<unsigned>{0});
          tally::launch(no_fence_behind, 32, 1)(partial.data(), done.data(), out.data());
        },
});

}  // namespace ladder::exhibits
