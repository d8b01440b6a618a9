// SPDX-License-Identifier: Apache-2.0
//
// A warp's part of a tile in shared memory: lanes load and store it side by side, and each has some
// neighbours of it, as a scan wants them.
#pragma once

#include <cuda_pipeline.h>

#include <algorithm>

#include "tally/cuda/thread_index.cuh"
#include "tally/device/input/sources.cuh"

namespace tally::device {

// How many neighbours a lane has. Lanes read them at once, in vectors of 16 bytes from all banks:
// so they are an odd number of such vectors.
template <class In, class Out, int Vectors>
inline constexpr int items_a_lane = [] {
  static_assert(Vectors % 2 == 1);
  constexpr std::size_t bytes = Vectors * vector_bytes, widest = std::max(sizeof(In), sizeof(Out));
  return int(bytes / widest > 0 ? bytes / widest : 1);
}();

// What a lane has of them; narrow ones stay packed.
template <class T, int Items>
inline constexpr bool in_vectors =
    vector_bytes % sizeof(T) == 0 && Items * sizeof(T) % vector_bytes == 0;
template <class T, int Items>
using items_of = std::conditional_t<in_vectors<T, Items>,
                                    batch<T, int(Items * sizeof(T) / vector_bytes), vector_size<T>>,
                                    batch<T, 1, Items>>;

// `count` elements, whose scan is in their order, or in reverse from the last one. Position 0 is
// the first in the direction of the scan.
template <class In, int Items>
struct warp_tile {
  static constexpr int items = Items, size = Items * warp_size;
  In const* data;       // in shared memory, by index
  std::uint64_t first;  // the index of data[0] in its row
  std::uint32_t row;
  unsigned count;
  bool is_last;  // it has the row's last element, in the direction of the scan, if there is one
  bool reverse, exclusive;

  // Where the position is in `data`, for positions below `count`.
  __device__ unsigned place(unsigned position) const {
    return reverse ? count - 1 - position : position;
  }
  __device__ static unsigned position(int item) {
    return threadIdx.x % warp_size * Items + unsigned(item);
  }
  __device__ bool has(int item) const { return position(item) < count; }
  __device__ bool is_whole() const { return count == size; }
  // Whether the lane has the last of the elements, or there are none and it is the first.
  __device__ bool has_last() const {
    return threadIdx.x % warp_size == (count > 0 ? (count - 1) / Items : 0);
  }

  // The lane's elements; those that are not there are In{}.
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
  // Puts the lane's results where the tile's are to be, by index.
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
  // The same where the tile's elements are, when all lanes have read theirs.
  template <class Out>
  __device__ void replace(items_of<Out, Items> const& x) const {
    __syncwarp();
    write(x, reinterpret_cast<Out*>(const_cast<In*>(data)));
  }
};

// Begins to copy a lane's share of `count` pieces of so many bytes to shared memory; it is there
// when the lane has waited for it and the warp has met.
template <int Bytes>
__device__ void copy_ahead(void const* from, unsigned count, void* to) {
  auto const* const source = static_cast<unsigned char const*>(from);
#pragma unroll 5
  for (unsigned v = threadIdx.x % warp_size; v < count; v += warp_size)
    __pipeline_memcpy_async(static_cast<unsigned char*>(to) + v * Bytes, source + v * Bytes, Bytes);
}

// Elements that may be copied one by one ahead of time.
template <class T>
inline constexpr bool copied_ahead =
    alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// Begins to load `count` elements, at most Size, from the first-th on into shared memory.
template <int Size, class Source>
__device__ void load_ahead(Source const& in, std::uint64_t first, unsigned count,
                           typename Source::element* to) {
  using element = typename Source::element;
  constexpr bool is_array = requires { in.data; };
  if constexpr (is_array && Size * sizeof(element) % vector_bytes == 0) {
    auto const* const from = in.data + first;
    if (count == Size && reinterpret_cast<std::uintptr_t>(from) % vector_bytes == 0)
      return copy_ahead<vector_bytes>(from, Size * sizeof(element) / vector_bytes, to);
  }
  if constexpr (is_array && copied_ahead<element>) {
    copy_ahead<int(sizeof(element))>(in.data + first, count, to);
  } else {
#pragma unroll 4
    for (unsigned k = threadIdx.x % warp_size; k < count; k += warp_size) to[k] = in[first + k];
  }
}

// Stores `count` results from shared memory.
template <int Size, class Out>
__device__ void store_results(Out const* from, unsigned count, Out* to) {
  unsigned const lane = threadIdx.x % warp_size;
  if constexpr (Size * sizeof(Out) % vector_bytes == 0) {
    if (count == Size && reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0) {
      constexpr unsigned vectors = Size * sizeof(Out) / vector_bytes;
#pragma unroll 5
      for (unsigned v = lane; v < vectors; v += warp_size)
        __stcs(reinterpret_cast<uint4*>(to) + v, reinterpret_cast<uint4 const*>(from)[v]);
      return;
    }
  }
#pragma unroll 4
  for (unsigned k = lane; k < count; k += warp_size) to[k] = from[k];
}

}  // namespace tally::device
