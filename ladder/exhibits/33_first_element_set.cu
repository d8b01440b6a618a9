// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 33: first element set.
//
// Page:   int final_result[TOPK] = {INT_MIN}.
// Wrong:  that sets element 0; all others are 0. A list that begins so takes no element below 0.
// Right:  a loop that sets all of them.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

static __device__ void insert_value(int* list, int k, int x) {
  for (int i = 0; i < k; ++i)
    if (list[i] == x) return;
  if (x < list[k - 1]) return;
  int at = k - 1;
  for (; at > 0 && list[at - 1] < x; --at) list[at] = list[at - 1];
  list[at] = x;
}

__global__ void four_best(int const* in, int n, int* out) {
  int list[4] = {-2147483647 - 1};
  for (int i = 0; i < n; ++i) insert_value(list, 4, in[i]);
  for (int i = 0; i < 4; ++i) out[i] = list[i];
}

show const first_element_set({
    .page = "T4",
    .bug = "an initialiser of one value sets one element, and the others to 0",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const numbers{-5, -3, -7, -1}, right{-1, -3, -5, -7};
          tally::device_array<int> const in{std::span(numbers)}, out(4);
          tally::launch(four_best, 1, 1)(in.data(), 4, out.data());
          that.equal("the 4 best of -5, -3, -7, -1", right, out.to_host());
        },
});

}  // namespace ladder::exhibits
