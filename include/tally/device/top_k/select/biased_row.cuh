// SPDX-License-Identifier: Apache-2.0
//
// A short row whose elements are sums: what is chosen by them are the elements without the bias.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/biased.hpp"

namespace tally::device {

template <class Bits>
struct biased_row {
  using bits = Bits;
  static constexpr int each = row_batch<Bits>::each;

  array_row<Bits> elements, bias;
  std::uint64_t count;
  bool are_float16;  // of 16 bits

  __device__ unsigned lead() const { return elements.lead() | bias.lead(); }
  __device__ Bits operator[](std::uint64_t i) const {
    std::uint32_t const sum = sum_of(elements[i], bias[i]);
    return Bits(sum);
  }
  __device__ void load(Bits* x, std::uint64_t i) const {
    std::uint32_t sums[vector_bytes / 4], more[vector_bytes / 4];
    Bits other[each];
    elements.load(x, i), bias.load(other, i);
    __builtin_memcpy(sums, x, sizeof sums);
    __builtin_memcpy(more, other, sizeof more);
#pragma unroll
    for (int w = 0; w < vector_bytes / 4; ++w) sums[w] = sum_of(sums[w], more[w]);
    __builtin_memcpy(x, sums, sizeof sums);
  }

 private:
  __device__ std::uint32_t sum_of(std::uint32_t x, std::uint32_t y) const {
    if constexpr (sizeof(Bits) == 4)
      return to_bits(from_bits<float>(x) + from_bits<float>(y));
    else
      return are_float16 ? sums_of_halves<float16>(x, y) : sums_of_halves<bfloat16>(x, y);
  }
};

template <class Bits>
__device__ biased_row<Bits> row_of(biased_input<Bits> const& in, std::uint64_t first,
                                   std::uint64_t count) {
  return {{in.data + first, count},
          {in.bias + (in.of_each_row ? first : 0), count},
          count,
          in.are_float16};
}

// An element that has been chosen: the row's own, if `found` is another.
template <class Row>
__device__ typename Row::bits chosen_of(Row const&, std::uint64_t, typename Row::bits found) {
  return found;
}
template <class Bits>
__device__ Bits chosen_of(biased_row<Bits> const& row, std::uint64_t i, Bits) {
  return row.elements[i];
}

}  // namespace tally::device
