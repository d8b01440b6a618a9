// SPDX-License-Identifier: Apache-2.0
//
// What warps and blocks sort by.
#pragma once

#include "tally/warp/top_k.cuh"

namespace tally::device {

// A key and an index as one number where that is possible: the better, the larger. distance(a, b)
// is how far a is before b, and never falls as b falls.
template <class Bits>
struct ranked {
  using type = std::uint64_t;
  __device__ static type of(Bits key, std::uint32_t index) {
    return std::uint64_t(key) << 32 | std::uint32_t(~index);
  }
  __device__ static Bits key(type x) { return Bits(x >> 32); }
  __device__ static std::uint32_t index(type x) { return ~std::uint32_t(x); }
  __device__ static bool first(type a, type b) { return a > b; }
  __device__ static float distance(type a, type b) { return float(a - b); }
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
  __device__ static float distance(type a, type b) {
    return a.value != b.value ? float(a.value - b.value) * 0x1p32f : float(b.index - a.index);
  }
};

// The same entries by their index alone.
template <class Bits>
struct ranked_by_index : ranked<Bits> {
  using type = typename ranked<Bits>::type;
  __device__ static bool first(type a, type b) {
    return ranked<Bits>::index(a) < ranked<Bits>::index(b);
  }
  __device__ static float distance(type a, type b) {
    return float(ranked<Bits>::index(b) - ranked<Bits>::index(a));
  }
};

}  // namespace tally::device
