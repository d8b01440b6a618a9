// SPDX-License-Identifier: Apache-2.0
//
// A warp's part of a tile in shared memory: lanes load and store it side by side, and each has some
// neighbours of it, as a scan wants them.
#pragma once

#include <algorithm>

#include "tally/cuda/async_copy.cuh"
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

  // The lane's k-th element, or In{} if it is not there.
  __device__ In element(int k) const { return has(k) ? data[place(position(k))] : In{}; }
  // All of them.
  __device__ void read(items_of<In, Items>& x) const {
    if constexpr (in_vectors<In, Items>) {
      if (!reverse && has(Items - 1)) {
#pragma unroll
        for (int j = 0; j < x.vectors; ++j) x.take(j, data + position(0) + j * x.each);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Items; ++k) x.set(k, element(k));
  }
  // Calls each(element) for one after another, where a loop is to be short.
  template <class Each>
  __device__ void each_element(Each each) const {
    constexpr int few = in_vectors<In, Items> ? items_of<In, Items>::each : 1;
#pragma unroll 1
    for (int k = 0; k < Items; k += few) {
      if constexpr (few == 1) {
        each(element(k));
      } else {
        batch<In, 1, few> x;
        x.clear(0);
        if (!reverse && has(Items - 1)) {
          x.take(0, data + position(k));
        } else {
#pragma unroll
          for (int j = 0; j < few; ++j) x.set(j, element(k + j));
        }
#pragma unroll
        for (int j = 0; j < few; ++j) each(x[j]);
      }
    }
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

// Elements that may be copied one by one ahead of time.
template <class T>
inline constexpr bool copied_ahead =
    alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// By a warp: begins to load `count` elements, at most Size, from the first-th on into shared
// memory. It arrives at a barrier once, when they are there.
template <int Size, class Source>
__device__ void load_ahead(Source const& in, std::uint64_t first, unsigned count,
                           typename Source::element* to, phase_barrier& there) {
  using element = typename Source::element;
  constexpr bool is_array = requires { in.data; };
  if constexpr (is_array && Size * sizeof(element) % vector_bytes == 0) {
    auto const* const from = in.data + first;
    if (count == Size && reinterpret_cast<std::uintptr_t>(from) % vector_bytes == 0)
      return there.copy(to, from, Size * sizeof(element));
  }
  if constexpr (is_array && copied_ahead<element>) {
    there.copy_pieces<int(sizeof(element))>(to, in.data + first, count);
  } else {
#pragma unroll 4
    for (unsigned k = threadIdx.x % warp_size; k < count; k += warp_size) to[k] = in[first + k];
    there.arrive();
  }
}

// By a warp: stores `count` results that its lanes have put into shared memory. If it goes on they
// must stay there until await_read_by_copies().
template <int Size, bool GoesOn, class Out>
__device__ void store_results(Out const* from, unsigned count, Out* to) {
  if constexpr (Size * sizeof(Out) % vector_bytes == 0)
    if (count == Size && reinterpret_cast<std::uintptr_t>(to) % vector_bytes == 0)
      return (GoesOn ? copy_from_shared : copy_from_shared_by_lanes)(to, from, Size * sizeof(Out));
  __syncwarp();
#pragma unroll 4
  for (unsigned k = threadIdx.x % warp_size; k < count; k += warp_size) to[k] = from[k];
  let_copies_follow();
}

}  // namespace tally::device
