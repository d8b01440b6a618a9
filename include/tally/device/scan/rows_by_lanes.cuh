// SPDX-License-Identifier: Apache-2.0
//
// Scans of rows by warps that know nothing of one another. Elements go from memory to the lanes'
// registers, and results back, some neighbours a lane: short rows have some of a warp's lanes each,
// longer ones a warp, which goes through them in parts. What lanes leave in doubt, the warp does
// again by way of shared memory.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/scan/tile.cuh"

namespace tally::device {

inline constexpr int row_threads = 256, row_blocks = 3;  // at least, of a multiprocessor
// How many neighbours a lane has: two vectors, a whole sector of memory.
template <class In, class Out>
inline constexpr int lane_items =
    std::max(int(2 * vector_bytes / std::max(sizeof(In), sizeof(Out))), 1);

// A part of a row as lanes have it: to a prefix (prefix.cuh) it is a tile.
template <class In, int Items>
struct lane_tile {
  static constexpr int items = Items, each = 0;  // it is not read by vectors
  items_of<In, Items> x;
  void* to;             // the part's first result, by index
  std::uint64_t first;  // the index in the row of its first element
  std::uint32_t row;
  unsigned count, lane, width;  // its elements; which of so many lanes this one is
  bool is_last;                 // it has the row's last element
  bool reverse, exclusive;

  __device__ unsigned place(unsigned position) const {
    return reverse ? count - 1 - position : position;
  }
  __device__ unsigned position(int item) const { return lane * Items + unsigned(item); }
  __device__ bool has(int item) const { return position(item) < count; }
  __device__ bool is_whole() const { return has(Items - 1); }
  __device__ bool has_last() const { return lane == (count > 0 ? (count - 1) / Items : 0); }
  __device__ void read(items_of<In, Items>& all) const { all = x; }
  __device__ lane_tile const& filled_up(In) const { return *this; }

  // Reads what the lane has of a part in memory.
  __device__ void load(In const* from) {
    if constexpr (in_vectors<In, Items>) {
      if (!reverse && is_whole() && is_aligned(from + position(0))) {
#pragma unroll
        for (int j = 0; j < x.vectors; ++j) x.take(j, from + position(0) + j * x.each);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Items; ++k) x.set(k, has(k) ? from[place(position(k))] : In{});
  }
  template <class Out>
  __device__ void replace(items_of<Out, Items> const& results) const {
    Out* const out = static_cast<Out*>(to);
    if constexpr (in_vectors<Out, Items>) {
      if (!reverse && is_whole() && is_aligned(out + position(0))) {
#pragma unroll
        for (int j = 0; j < results.vectors; ++j)
          results.give(j, out + position(0) + j * results.each);
        return;
      }
    }
#pragma unroll
    for (int k = 0; k < Items; ++k)
      if (has(k)) out[place(position(k))] = results[k];
  }

 private:
  static __device__ bool is_aligned(void const* x) {
    return reinterpret_cast<std::uintptr_t>(x) % vector_bytes == 0;
  }
};

// A warp, and the rows that it scans.
template <class Prefix, class Source>
class row_warp {
  using call_type = scan_call<Prefix, Source, row_layout>;
  using tiling = scan_tiling<Prefix, Source, row_layout, 3>;  // of what is done again
  using element = typename tiling::element;
  using carried = typename Prefix::carried;
  static constexpr int items = lane_items<element, typename tiling::result>;
  static constexpr unsigned part = items * warp_size;  // of a row
  static_assert(part <= unsigned(tiling::part));

 public:
  struct alignas(vector_bytes) doubts {
    unsigned char part[tiling::part_bytes];
    typename Prefix::total total;
    typename Prefix::before before;
    typename Prefix::start start;
  };
  struct no_doubts {};
  using board = std::conditional_t<Prefix::is_certain, no_doubts, doubts>;
  __device__ row_warp(call_type const& call, board& mine) : call_(call), board_(mine) {
    if constexpr (!Prefix::is_certain)
      if (lane() == 0) Prefix::clear(board_.total);
  }

  // Rows of at most one part, from the first one on as many as the warp has lanes for, `width` a
  // row.
  __device__ void scan_some(std::uint64_t first, unsigned width) const {
    std::uint64_t const row = first + lane() / width;
    bool const exists = row < call_.rows.count;
    unsigned const size = exists ? unsigned(call_.rows.size(row)) : 0;
    auto const tile = part_of(exists ? row : first, 0, size, exists, width);
    if (call_.prefix.row_results(tile, call_.total)) return;
    if constexpr (!Prefix::is_certain)
      for (unsigned r = 0; r < warp_size / width; ++r)
        if (first + r < call_.rows.count) {
          auto before = call_.prefix.begin();
          scan_again(first + r, 0, unsigned(call_.rows.size(first + r)), true, before);
        }
  }
  // A row of any length. The next part is on its way while one is scanned.
  __device__ void scan_row(std::uint64_t row) const {
    std::uint64_t const size = call_.rows.size(row);
    auto before = call_.prefix.begin();
    auto const at = [&](std::uint64_t done) {
      std::uint64_t const left = size - done;
      return part_of(row, done, unsigned(left < part ? left : part), left <= part, warp_size);
    };
    auto next = at(0);
    for (std::uint64_t done = 0;;) {
      auto const here = next;
      done += part;
      if (!here.is_last) next = at(done);
      if (!call_.prefix.part_results(here, before, call_.total))
        if constexpr (!Prefix::is_certain)
          scan_again(row, here.first, here.count, here.is_last, before);
      if (here.is_last) return;
    }
  }

 private:
  call_type const& call_;
  board& board_;

  static __device__ unsigned lane() { return threadIdx.x % warp_size; }

  // The part behind so many elements, in the direction of the scan.
  __device__ auto part_of(std::uint64_t row, std::uint64_t done, unsigned count, bool is_last,
                          unsigned width) const {
    std::uint64_t const first =
        call_.reverse ? std::uint64_t(call_.rows.size(row)) - done - count : done;
    lane_tile<element, items> tile{{},
                                   call_.out + call_.out_rows.begin(row) + first,
                                   first,
                                   std::uint32_t(row),
                                   count,
                                   lane() % width,
                                   width,
                                   is_last,
                                   call_.reverse,
                                   call_.exclusive};
    tile.load(call_.in.data + call_.rows.begin(row) + first);
    return tile;
  }
  __device__ __noinline__ void scan_again(std::uint64_t row, std::uint64_t first, unsigned count,
                                          bool is_last, carried& before) const {
    part_place const at{first, std::uint32_t(row), count | (is_last ? part_place::last : 0)};
    auto const p = tiling::part_at(call_, at, board_.part);
    auto const begin = std::uint64_t(call_.rows.begin(row)) + first;
    __syncwarp();
    for (unsigned k = lane(); k < count; k += warp_size)
      reinterpret_cast<element*>(board_.part)[k] = call_.in[begin + k];
    call_.prefix.put_start(before, board_.start, board_.before);
    __syncwarp();
    auto const here = call_.prefix.gather(p, board_.total);
    __syncwarp();
    call_.prefix.results(p, &board_.total, 0, board_.start, board_.before, here, call_.total);
    tiling::template store<false>(call_, p, board_.part);
    if (!is_last) call_.prefix.go_on(before, board_.total, board_.start);
    __syncwarp();
  }
};

// Each row by `width` lanes, a power of 2, if all are that short; or by a warp.
template <class Prefix, class Source, bool Short>
__global__ void __launch_bounds__(row_threads, row_blocks)
    scan_rows_by_lanes(__grid_constant__ scan_call<Prefix, Source, row_layout> const call,
                       unsigned width) {
  using mine = row_warp<Prefix, Source>;
  constexpr int warps = row_threads / warp_size;
  __shared__ typename mine::board boards[warps];
  unsigned const warp = threadIdx.x / warp_size, rows = Short ? warp_size / width : 1;
  mine const here(call, boards[warp]);
  await_launches_before();
  std::uint64_t const all = std::uint64_t(gridDim.x) * warps * rows;
  for (std::uint64_t row = (std::uint64_t(blockIdx.x) * warps + warp) * rows; row < call.rows.count;
       row += all)
    if constexpr (Short)
      here.scan_some(row, width);
    else
      here.scan_row(row);
  let_next_launch_start();
}

}  // namespace tally::device
