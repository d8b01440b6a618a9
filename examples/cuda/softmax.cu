// SPDX-License-Identifier: Apache-2.0
//
// The softmax of each row of a matrix, a block a row, in one pass over the row before the last:
// maximum and sum are found together, with an operator of our own.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tally/block/reduce.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

// Of some values: their maximum, and the sum of exp(value - maximum).
struct exponentials {
  float most, sum;
};

struct join {
  __device__ exponentials operator()(exponentials a, exponentials b) const {
    float const most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
  }
};

__global__ void softmax(float const* rows, float* out, int columns) {
  float const* const row = rows + std::size_t(blockIdx.x) * columns;
  int const thread = tally::thread_index();

  exponentials mine{-1e30f, 0};
  for (int i = thread; i < columns; i += tally::thread_count()) mine = join{}(mine, {row[i], 1});

  exponentials const all = tally::block::all_reduce(mine, join{});

  for (int i = thread; i < columns; i += tally::thread_count())
    out[std::size_t(blockIdx.x) * columns + i] = expf(row[i] - all.most) / all.sum;
}

int main() {
  int const row_count = 3, columns = 1000;
  std::vector<float> values(row_count * columns);
  for (int r = 0; r < row_count; ++r)
    for (int c = 0; c < columns; ++c) values[r * columns + c] = std::log(float(1 + c)) + 100 * r;

  tally::device_array<float> const rows(std::span<float const>{values}), out(values.size());
  tally::launch(softmax, row_count, 96)(rows.data(), out.data(), columns);

  std::vector<float> const found = out.to_host();
  for (int r = 0; r < row_count; ++r)
    std::printf("%.6f %.6f %.6f\n", found[r * columns], found[r * columns + 499],
                found[r * columns + 999]);
}
