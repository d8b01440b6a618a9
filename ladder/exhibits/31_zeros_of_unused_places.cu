// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 31: zeros of unused places.
//
// Page:   the results of the first launch lie in managed memory, which is 0 at first, for BLOCKS
//         blocks; the second launch reads them all.
// Wrong:  where a block has written nothing its zeros take part, and are greater than all elements
//         below 0.
// Right:  the second launch reads what was written, and no more.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void maximum_of_results(int const* results, int n, int* out) {
  *out = results[0];
  for (int i = 1; i < n; ++i) *out = *out < results[i] ? results[i] : *out;
}

show const zeros_of_unused_places({
    .page = "T4",
    .bug = "places that no block has written to are 0, and take part in the second pass",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const of_two_blocks_one_wrote{-3, -5, 0, 0};
          tally::device_array<int> const results{std::span(of_two_blocks_one_wrote)}, out(1);
          tally::launch(maximum_of_results, 1, 1)(results.data(), 4, out.data());
          that.equal("the greatest of -3 and -5", -3, out.to_host()[0]);
        },
});

}  // namespace ladder::exhibits
