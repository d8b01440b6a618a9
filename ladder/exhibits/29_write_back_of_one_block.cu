// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 29: write back of one block.
//
// Page:   if (threadIdx.x < TOPK) output[TOPK * blockIdx.x + threadIdx.x] =
//         topk_per_block[threadIdx.x].
// Wrong:  it needs TOPK <= BLOCK_SIZE. Else results from BLOCK_SIZE on stay what they were, 0: so
//         in four rows of the page's table, for 100 and 192 of 64 threads, 384 and 48 of 32.
// Right:  a loop over the results (rung 5).
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void write_back(int const* list, int* out) {
  if (threadIdx.x < 6) out[6 * blockIdx.x + threadIdx.x] = list[threadIdx.x];
}

show const write_back_of_one_block({
    .page = "T4",
    .bug = "the write-back has one result a thread, and there are more results",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const best{60, 50, 40, 30, 20, 10};
          tally::device_array<int> const list{std::span(best)}, out(std::vector<int>(6, 0));
          tally::launch(write_back, 1, 4)(list.data(), out.data());
          that.equal("the 6 best, of a block of 4 threads", best, out.to_host());
        },
});

}  // namespace ladder::exhibits
