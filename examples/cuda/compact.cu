// SPDX-License-Identifier: Apache-2.0
//
// One block keeps the multiples of three, in order: where each one goes is an exclusive scan, and
// the next tile begins after the scan's total.
#include <cstdio>
#include <numeric>
#include <vector>

#include "tally/block/scan.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/operators.hpp"

__global__ void __launch_bounds__(128)
    keep_multiples_of_three(int const* in, int n, int* out, int* count) {
  int kept = 0;
  for (int tile = 0; tile < n; tile += 128) {
    int const i = tile + tally::thread_index();
    int const keep = i < n && in[i] % 3 == 0;
    int total;
    int const at = tally::block::exclusive_scan<128>(keep, tally::plus{}, kept, total);
    if (keep) out[at] = in[i];
    kept += total;
  }
  if (tally::thread_index() == 0) *count = kept;
}

int main() {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  tally::device_array<int> const in(std::span<int const>{values}), out(values.size()), count(1);

  tally::launch(keep_multiples_of_three, 1, 128)(in.data(), 1000, out.data(), count.data());

  int const kept = count.to_host()[0];
  std::vector<int> const found = out.to_host();
  std::printf("%d: %d %d %d ... %d\n", kept, found[0], found[1], found[2], found[kept - 1]);
}
