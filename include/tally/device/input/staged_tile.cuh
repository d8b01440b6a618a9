// SPDX-License-Identifier: Apache-2.0
//
// A tile in shared memory: blocks load and store it side by side, and each thread has some
// neighbours of it, as a scan wants them.
#pragma once

#include <algorithm>

#include "tally/device/input/sources.cuh"

namespace tally::device {

// How many neighbours a thread has. Threads read them at once, in vectors of 16 bytes from all
// banks: so they are an odd number of such vectors.
template <class In, class Out>
inline constexpr int items_a_thread = [] {
  constexpr std::size_t bytes = 5 * vector_bytes, widest = std::max(sizeof(In), sizeof(Out));
  return int(bytes / widest > 0 ? bytes / widest : 1);
}();

// What a thread has of them; narrow ones stay packed.
template <class T, int Items>
inline constexpr bool in_vectors =
    vector_bytes % sizeof(T) == 0 && Items * sizeof(T) % vector_bytes == 0;
template <class T, int Items>
using items_of = std::conditional_t<in_vectors<T, Items>,
                                    batch<T, int(Items * sizeof(T) / vector_bytes), vector_size<T>>,
                                    batch<T, 1, Items>>;

// What a tile is of: `count` elements whose scan is in their order, or in reverse from the last
// one. Position 0 is the first in the direction of the scan.
template <class In, int Items>
struct staged_tile {
  static constexpr int items = Items;
  In const* data;       // in shared memory, by index
  std::uint64_t first;  // the index of data[0]
  std::uint32_t number, tiles;
  unsigned count;
  bool reverse, exclusive;

  __device__ bool is_last() const { return number + 1 == tiles; }
  __device__ bool is_only() const { return tiles == 1; }

  // Where the position is in `data`, for positions below `count`.
  __device__ unsigned place(unsigned position) const {
    return reverse ? count - 1 - position : position;
  }
  __device__ unsigned position(int item) const { return threadIdx.x * Items + item; }
  __device__ bool has(int item) const { return position(item) < count; }
  __device__ bool is_whole() const { return count == blockDim.x * Items; }
  // The thread's elements; those that are not there are In{}.
  __device__ void read(items_of<In, Items>& x) const {
    if constexpr (in_vectors<In, Items>) {
      if (!reverse && has(Items - 1)) {
#pragma unroll
        for (int j = 0; j < x.vectors; ++j) x.take(j, data + position(0) + j * x.each);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Items; ++k) x.set(k, has(k) ? data[place(position(k))] : In{});
  }
  // Puts the thread's results where the tile's are to be, by index.
  template <class Out>
  __device__ void write(items_of<Out, Items> const& x, Out* to) const {
    if constexpr (in_vectors<Out, Items>) {
      if (!reverse && has(Items - 1)) {
#pragma unroll
        for (int j = 0; j < x.vectors; ++j) x.give(j, to + position(0) + j * x.each);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (has(k)) to[place(position(k))] = x[k];
  }
};

// Loads `count` elements from the first-th on into shared memory, by the whole block.
template <int Size, class Source>
__device__ void load_tile(Source const& in, std::uint64_t first, unsigned count,
                          typename Source::element* to) {
  using element = typename Source::element;
  if constexpr (requires { in.data; } && Size * sizeof(element) % vector_bytes == 0) {
    auto const* const from = reinterpret_cast<uint4 const*>(in.data + first);
    if (count == Size && reinterpret_cast<std::uintptr_t>(from) % vector_bytes == 0) {
      constexpr unsigned vectors = Size * sizeof(element) / vector_bytes;
#pragma unroll 5
      for (unsigned v = threadIdx.x; v < vectors; v += blockDim.x) {
        uint4 const x = __ldcs(from + v);
        reinterpret_cast<uint4*>(to)[v] = x;
      }
      return;
    }
  }
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) to[k] = in[first + k];
}

// Stores `count` results from shared memory.
template <int Size, class Out>
__device__ void store_tile(Out const* from, unsigned count, Out* to) {
  if constexpr (Size * sizeof(Out) % vector_bytes == 0) {
    if (count == Size && reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0) {
      constexpr unsigned vectors = Size * sizeof(Out) / vector_bytes;
#pragma unroll 5
      for (unsigned v = threadIdx.x; v < vectors; v += blockDim.x)
        __stcs(reinterpret_cast<uint4*>(to) + v, reinterpret_cast<uint4 const*>(from)[v]);
      return;
    }
  }
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) to[k] = from[k];
}

}  // namespace tally::device
