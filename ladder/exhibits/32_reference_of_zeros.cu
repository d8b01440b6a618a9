// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 32: reference of zeros.
//
// Page:   int cpu_result[TOPK] = {0}: what would set it to INT_MIN is commented out. The GPU's
//         answer is compared with it.
// Wrong:  with fewer than TOPK different elements above 0, the zeros are taken for the best. And a
//         difference prints "Error!!!", but the program ends with status 0.
// Right:  a sort of everything (judge_top_k.hpp), and a status that tells.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

// The page's insert_value, on the host.
static void insert_on_host(std::vector<int>& list, int x) {
  for (int const one : list)
    if (one == x) return;
  if (x < list.back()) return;
  std::size_t at = list.size() - 1;
  for (; at > 0 && list[at - 1] < x; --at) list[at] = list[at - 1];
  list[at] = x;
}

show const reference_of_zeros({
    .page = "T4",
    .bug = "the CPU's list, which the answer is compared with, begins with zeros",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const numbers{-5, -3, -4, -1}, right{-1, -3, -4};
          std::vector<int> reference{0, 0, 0};
          for (int const x : numbers) insert_on_host(reference, x);
          that.equal("the 3 best of -5, -3, -4, -1", right, reference);
        },
});

}  // namespace ladder::exhibits
