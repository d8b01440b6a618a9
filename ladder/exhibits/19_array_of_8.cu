// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 19: an array of 8 for 64 threads.
//
// Page:   __shared__ int shared[BLOCK_NUM], indexed by the thread: 8 blocks, 64 threads.
// Wrong:  threads 8 to 63 write behind it. On the page it works by luck: the launch asks for 256
//         bytes of dynamic shared memory that nobody declares, and those lie there.
// Right:  an element for every thread.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 5;

__global__ void array_of_8(int const* in, int* out) {
  __shared__ int shared[8];
  unsigned const t = threadIdx.x;
  shared[t] = in[t] * in[t];
  __syncthreads();
  if (t > 0) return;
  int sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += shared[i];
  *out = sum;
}

show const array_of_blocks({
    .page = "T2",
    .bug = "the shared array has an element for each of 8 blocks, not for each of 64 threads",
    .expected = "out of bounds",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(64, 2)), out(1);
          tally::launch(array_of_8, 1, 64, 64 * sizeof(int))(in.data(), out.data());
        },
});

}  // namespace ladder::exhibits
