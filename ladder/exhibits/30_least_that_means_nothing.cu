// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 30: least that means nothing.
//
// Page:   lists begin with INT_MIN in all places, and all TOPK places are results.
// Wrong:  of fewer than TOPK different elements places are left, and look like an element; one that
//         is INT_MIN cannot be told from them.
// Right:  how many were found is a result, too, and whether INT_MIN was among the elements is noted
//         apart (values.cuh).
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

__global__ void three_best(int const* in, int n, int* list) {
  for (int i = 0; i < 3; ++i) list[i] = -2147483647 - 1;
  for (int i = 0; i < n; ++i) insert_value(list, 3, in[i]);
}

show const least_that_means_nothing({
    .page = "T4",
    .bug = "what is left of the list where there are too few elements looks like an element",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const numbers{4, 9, 4}, right{9, 4};
          tally::device_array<int> const in{std::span(numbers)}, list(3);
          tally::launch(three_best, 1, 1)(in.data(), 3, list.data());
          that.equal("the 3 best different of 4, 9, 4", right, list.to_host());
        },
});

}  // namespace ladder::exhibits
