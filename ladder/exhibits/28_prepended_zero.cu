// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 28: a 0 in front.
//
// Page:   the exclusive scan is the inclusive one with a 0 in front, and the last result dropped;
//         of any binary operator.
// Wrong:  before the first element there is the operator's identity, which is 0 for sums. Of the
//         greatest element it is the least number there is: 0 is greater than all of these.
// Right:  the identity in front (rung 12).
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void exclusive_maxima(int const* in, int* y) {
  y[0] = 0;
  int greatest = in[0];
  for (int i = 1; i < 4; ++i) {
    y[i] = greatest;
    greatest = greatest > in[i] ? greatest : in[i];
  }
}

show const prepended_zero({
    .page = "T3",
    .bug = "a 0 is put before the inclusive scan, whatever the operator",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const numbers{-5, -3, -4, -1}, right{-2147483647 - 1, -5, -3, -3};
          tally::device_array<int> const in{std::span(numbers)}, y(4);
          tally::launch(exclusive_maxima, 1, 1)(in.data(), y.data());
          that.equal("what is greatest before -5, -3, -4, -1", right, y.to_host());
        },
});

}  // namespace ladder::exhibits
