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
  static constexpr int each = in_vectors<In, Items> ? items_of<In, Items>::each : 1;  // of a vector
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

  // The tile with `x` behind the last element, up to a whole vector; in the order of memory.
  __device__ warp_tile filled_up(In x) const {
    unsigned const end = reverse ? count : (count + each - 1) / each * each;
    for (unsigned k = count + threadIdx.x % warp_size; k < end; k += warp_size)
      const_cast<In*>(data)[k] = x;
    __syncwarp();
    return {data, first, row, end, is_last, reverse, exclusive};
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
  // Those of the vector that begins with the k-th; `absent` where there are none.
  __device__ batch<In, 1, each> vector(int k, In absent = {}) const {
    batch<In, 1, each> x;
    x.clear(0);
    if (has_vector(k)) {
      x.take(0, data + position(k));
      return x;
    }
    bool const is_empty = !has(k);  // as most are behind a row's end
#pragma unroll
    for (int j = 0; j < each; ++j) x.set(j, absent);
    if (is_empty) return x;
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (has(k + j)) x.set(j, data[place(position(k + j))]);
    return x;
  }
  // Calls visit(element) for one after another, where a loop is to be short.
  template <class Visit>
  __device__ void each_element(Visit visit) const {
#pragma unroll 1
    for (int k = 0; k < Items; k += each)
      if constexpr (each == 1) {
        visit(element(k));
      } else {
        auto const x = vector(k);
#pragma unroll
        for (int j = 0; j < each; ++j) visit(x[j]);
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
  // Puts results where the elements of a vector are, which have as many bytes.
  template <class Out>
  __device__ void replace_vector(int k, batch<Out, 1, each> const& x) const {
    static_assert(sizeof(Out) == sizeof(In));
    auto* const to = reinterpret_cast<Out*>(const_cast<In*>(data));
    if (has_vector(k)) return x.give(0, to + position(k));
    if (!has(k)) return;
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (has(k + j)) to[place(position(k + j))] = x[j];
  }
  // The same where the tile's elements are, when all lanes have read theirs.
  template <class Out>
  __device__ void replace(items_of<Out, Items> const& x) const {
    __syncwarp();
    write(x, reinterpret_cast<Out*>(const_cast<In*>(data)));
  }

 private:
  __device__ bool has_vector(int k) const { return !reverse && has(k + each - 1); }
};

// Elements that may be copied one by one ahead of time.
template <class T>
inline constexpr bool copied_ahead =
    alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

// How many of `count` elements are in whole vectors, if those behind an address are.
template <class T>
__device__ unsigned in_whole_vectors(void const* at, unsigned count) {
  if constexpr (vector_bytes % sizeof(T) == 0) {
    constexpr unsigned each = vector_bytes / sizeof(T);
    return reinterpret_cast<std::uintptr_t>(at) % vector_bytes == 0 ? count / each * each : 0;
  } else {
    return 0;
  }
}

// By a warp: begins to load `count` elements, at most Size, from the first-th on into shared
// memory. It arrives at a barrier once, when they are there.
template <int Size, class Source>
__device__ void load_ahead(Source const& in, std::uint64_t first, unsigned count,
                           typename Source::element* to, phase_barrier& there) {
  using element = typename Source::element;
  constexpr bool is_array = requires { in.data; };
  unsigned copied = 0;
  if constexpr (is_array && Size * sizeof(element) % vector_bytes == 0)
    copied = in_whole_vectors<element>(in.data + first, count);
  if constexpr (is_array && copied_ahead<element>) {
    if (copied < count) return there.copy_pieces<int(sizeof(element))>(to, in.data + first, count);
  } else {
#pragma unroll 4
    for (unsigned k = copied + threadIdx.x % warp_size; k < count; k += warp_size)
      to[k] = in[first + k];
  }
  if constexpr (is_array)
    if (copied > 0) return there.copy(to, in.data + first, unsigned(copied * sizeof(element)));
  there.arrive();
}

// By a warp: stores `count` results that its lanes have put into shared memory. If it goes on they
// must stay there until await_read_by_copies().
template <int Size, bool GoesOn, class Out>
__device__ void store_results(Out const* from, unsigned count, Out* to) {
  unsigned copied = 0;
  if constexpr (Size * sizeof(Out) % vector_bytes == 0) copied = in_whole_vectors<Out>(to, count);
  if (copied > 0) {
    auto const bytes = unsigned(copied * sizeof(Out));
    (GoesOn ? copy_from_shared : copy_from_shared_by_lanes)(to, from, bytes);
    if (copied == count) return;
  }
  __syncwarp();
#pragma unroll 4
  for (unsigned k = copied + threadIdx.x % warp_size; k < count; k += warp_size) to[k] = from[k];
  let_copies_follow();
}

}  // namespace tally::device
