// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 34: stride of k.
//
// Page:   the lists lie one after the other: topk_per_block[threadIdx.x * TOPK + i].
// Wrong:  lanes read words TOPK apart: gcd(TOPK, 32) of them in one bank. With 48 that are 16, with
//         96, 192 and 384 all 32.
// Right:  the lists side by side (rung 7).
#include "ladder/exhibits/exhibit.hpp"
#include "simt/machine.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void first_of_lists(int k, int* out) {
  int* const lists = tally::dynamic_shared<int>();
  lists[threadIdx.x * unsigned(k)] = int(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = lists[threadIdx.x * unsigned(k)];
}

// Passes over shared memory of a warp's one write and one read, beyond the two that are needed.
static unsigned long long conflicts(int k) {
  tally::device_array<int> const out(32);
  simt::take_counts();
  tally::launch(first_of_lists, 1, 32, 32 * std::size_t(k) * sizeof(int))(k, out.data());
  return simt::take_counts().at(0).total.bank_conflicts;
}

show const stride_of_k({
    .page = "T4",
    .bug = "neighbours' lists lie TOPK words apart, so that lanes wait for one bank",
    .expected = "wrong value",
    .run =
        [](check& that) {
          for (int const k : {5, 48, 96})
            that.equal("passes too many for k = " + std::to_string(k), 0ull, conflicts(k));
        },
});

}  // namespace ladder::exhibits
