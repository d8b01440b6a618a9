// SPDX-License-Identifier: Apache-2.0
//
// What a warp sorts by.
#pragma once

#include "tally/warp/top_k.cuh"

namespace tally::device {

// A key and an index as one number where that is possible: the better, the larger.
template <class Bits>
struct ranked {
  using type = std::uint64_t;
  __device__ static type of(Bits key, std::uint32_t index) {
    return std::uint64_t(key) << 32 | std::uint32_t(~index);
  }
  __device__ static Bits key(type x) { return Bits(x >> 32); }
  __device__ static std::uint32_t index(type x) { return ~std::uint32_t(x); }
  __device__ static bool first(type a, type b) { return a > b; }
};
template <>
struct ranked<std::uint64_t> {
  using type = entry<std::uint64_t>;
  __device__ static type of(std::uint64_t key, std::uint32_t index) { return {key, index}; }
  __device__ static std::uint64_t key(type x) { return x.value; }
  __device__ static std::uint32_t index(type x) { return x.index; }
  __device__ static bool first(type a, type b) {
    return a.value != b.value ? a.value > b.value : a.index < b.index;
  }
};

}  // namespace tally::device
