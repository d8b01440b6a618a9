// SPDX-License-Identifier: Apache-2.0
//
// Where the results of a tile go, vector by vector: put(k, v, count) stores as many lanes of v as
// results k, k + 1, ... of `count` more.
#pragma once

#include "tally/cpu/tile/simd.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Stores into the caches, as any store does.
template <class Out>
struct in_caches {
  Out* to;

  template <class V>
  TALLY_CPU_FN void put(int k, V v, int count) const {
    store_some(v, to + k, count);
  }
};

// Stores past the caches, and with each vector asks for an element that will be read soon: for one
// line at a time, because a processor that is asked for many at once stands still. Only for whole
// tiles whose results begin where a cache line does.
template <class In, class Out>
struct past_caches {
  Out* to;
  In const* soon;

  template <class V>
  TALLY_CPU_FN void put(int k, V v, int) const {
    __builtin_prefetch(soon + k, 0, 2);
    auto& place = *reinterpret_cast<V*>(to + k);
#ifdef TALLY_NAMES_INSTRUCTIONS
    asm("%vmovntdq %1, %0" : "=m"(place) : "v"(v));
#elif defined(__clang__) && !defined(__CUDACC__)
    __builtin_nontemporal_store(v, &place);
#else
    place = v;
#endif
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
