// SPDX-License-Identifier: Apache-2.0
//
// The matrices whose rows and columns are measured.
#pragma once

#include <string>

#include "bench/gpu/options.hpp"
#include "bench/gpu/values.cuh"
#include "tally/rows.hpp"

namespace bench {

// Sums of any bits are sometimes in doubt where they are approximated; those of what cancels, a big
// number, its negative and a very small one, always.
enum class kinds { normal, any_bits, cancelling };
constexpr char const* kind_names[] = {"normal", "any_bits", "cancelling"};

template <class T>
__global__ void fill_rows(T* data, std::uint64_t n, kinds which) {
  auto const step = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += step) {
    if (which == kinds::normal) data[i] = value_of<T>(mixed(i), values::normal);
    if (which == kinds::any_bits) data[i] = value_of<T>(mixed(i), values::any_bits);
    if constexpr (tally::floating<T>)
      if (which == kinds::cancelling) {
        double const big = ldexp(1 + double(mixed(i / 2) % 1000) / 1024, 60);
        data[i] = tally::convert<T>(i % 32 == 31 ? 0x1p-60 : i % 32 == 30 ? 1 : i % 2 ? -big : big);
      }
  }
}

struct shape {
  std::uint64_t rows, length;
  std::string name() const { return std::to_string(rows) + "x" + std::to_string(length); }
};
constexpr shape shapes[] = {{1 << 20, 32}, {65536, 256}, {65536, 1024}, {4096, 16384},
                            {64, 1 << 20}, {8, 1 << 23}, {8192, 256}};

// The rows of a matrix, or its columns.
inline tally::row_layout layout_of(shape const& s, bool columns) {
  if (columns)
    return {.count = s.length, .length = s.rows, .stride = 1, .step = std::int64_t(s.length)};
  return {.count = s.rows, .length = s.length, .stride = std::int64_t(s.length)};
}

}  // namespace bench
