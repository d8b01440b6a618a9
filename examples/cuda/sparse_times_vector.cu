// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix in rows times a vector: eight lanes a row, so that a warp works on four rows at
// once, each as long as it is.
#include <cstdio>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/operators.hpp"
#include "tally/warp/reduce.cuh"

constexpr int width = 8;

__global__ void multiply(int const* row_begins, int const* columns, double const* values,
                         double const* x, double* y, int row_count) {
  int const row = (blockIdx.x * tally::thread_count() + tally::thread_index()) / width;
  if (row >= row_count) return;  // a group leaves as one

  double sum = 0;
  for (int i = row_begins[row] + tally::warp::lane<width>(); i < row_begins[row + 1]; i += width)
    sum += values[i] * x[columns[i]];

  sum = tally::warp::reduce<width>(sum, tally::plus{});
  if (tally::warp::lane<width>() == 0) y[row] = sum;
}

int main() {
  // In row r, the first r columns hold 1 to r.
  int const row_count = 30;
  std::vector<int> row_begins{0}, columns;
  std::vector<double> values;
  for (int r = 0; r < row_count; ++r) {
    for (int c = 0; c < r; ++c) columns.push_back(c), values.push_back(c + 1);
    row_begins.push_back(int(columns.size()));
  }
  tally::device_array<int> const begins(std::span<int const>{row_begins}),
      at(std::span<int const>{columns});
  tally::device_array<double> const matrix(std::span<double const>{values}),
      x(std::span<double const>{std::vector<double>(row_count, 2)}), y(row_count);

  tally::launch(multiply, 4, 64)(begins.data(), at.data(), matrix.data(), x.data(), y.data(),
                                 row_count);
  for (double sum : y.to_host()) std::printf("%g ", sum);
  std::printf("\n");
}
