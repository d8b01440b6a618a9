// SPDX-License-Identifier: Apache-2.0
//
// Scans of rows, or of one array, on a device by one kernel, with one read and one write: blocks
// draw tiles, publish a tile's total as soon as they know it, and add up the totals of the row's
// tiles since their last one. (Of the look-back of Merrill and Garland, 2016, the chain is left
// out: S. Maleki, A. Yang and M. Burtscher, "Higher-order and tuple-based massively-parallel prefix
// sums", PLDI 2016.) This file names no aggregate.
//
// The last warps of a block carry: they collect what is before the block's tiles. The others scan,
// each a part of every tile, whose elements they have ahead in shared memory. The last to know its
// part's total publishes the tile's, the last to put out its results draws the next tile. They meet
// by flags in shared memory alone; totals are told some tiles ahead of the results.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/mailbox.cuh"
#include "tally/device/grid/tickets.cuh"
#include "tally/device/scan_tile.cuh"

namespace tally::device {

inline constexpr unsigned carrying_warps = 3;

// What a scanning warp has in shared memory: parts of some tiles, and what its lanes keep of them.
template <class Prefix, class Source, class Rows>
struct scan_stages : scan_tiling<Prefix, Source, Rows, Prefix::vectors> {
  static constexpr int stages = Prefix::stages;
  static constexpr std::size_t kept_bytes = warp_size * sizeof(typename Prefix::part);
  static constexpr std::size_t stage_bytes = scan_stages::part_bytes + kept_bytes;
  static constexpr std::size_t warp_bytes = stages * stage_bytes;
};

// What the warps of a block tell one another; `threads` of them scan.
template <class Prefix, class Rows>
class scan_board {
 public:
  using tile_type = tile_of<Rows>;
  static constexpr int warps = Prefix::threads / warp_size;
  // A warp is never further ahead of another than so many tiles.
  static constexpr unsigned window = Prefix::stages;

  typename Prefix::shared shared;
  std::uint32_t epoch;  // of the launch; known with the first number

  __device__ void clear() {
    if (threadIdx.x == 0) drawn_ = prepared_ = 0;
    if (threadIdx.x < window) arrived_[threadIdx.x] = finished_[threadIdx.x] = 0;
  }
  __device__ auto* totals(unsigned j) { return total_[j % window]; }
  __device__ auto* before(unsigned j) { return before_[j % window]; }
  __device__ auto& start(unsigned j) { return start_[j % window]; }

  // The block's j-th tile. Who draws it says it, in order; others wait for it, or ask how many are
  // known. The first one that is in no row is the last: behind it all are so.
  __device__ void tell_tile(unsigned j, tile_type const& tile, bool last) {
    unsigned const lane = threadIdx.x % warp_size;
    if (lane == j % numbers)
      tile_[lane] = tile;
    else if (last && lane < numbers && (j - lane) % numbers > window)
      tile_[lane] = tile;
    tell(drawn_, last ? all : j + 1);
  }
  __device__ unsigned known() {
    unsigned const now = warp::broadcast(look(drawn_));
    __syncwarp();
    return now;
  }
  __device__ tile_type tile(unsigned j) {
    await(drawn_, j + 1);
    return tile_[j % numbers];
  }

  // A warp's total of the j-th tile is there; returns whether all are. Then that warp puts them
  // together, and says so.
  __device__ bool arrive(unsigned j, unsigned warps) {
    return count(arrived_[j % window]) == (warps + 1) * (j / window) + warps;
  }
  __device__ void tell_together(unsigned j) { count(arrived_[j % window]); }
  __device__ void await_together(unsigned j, unsigned warps) {
    await(arrived_[j % window], (warps + 1) * (j / window + 1));
  }
  // A warp has put out its results of the j-th tile, and its place may be taken by another, when
  // all have: which it returns.
  __device__ bool finish(unsigned j, unsigned warps) {
    return count(finished_[j % window]) == warps * (j / window + 1);
  }
  __device__ void await_room(unsigned j, unsigned warps) {
    await(finished_[j % window], warps * (j / window));
  }

  // All is there that has to be known of what is before the j-th tile.
  __device__ void tell_prepared(unsigned j) { tell(prepared_, j + 1); }
  __device__ void await_prepared(unsigned j) { await(prepared_, j + 1); }

 private:
  static constexpr unsigned nap = 50;        // ns; who looks all the time, slows the others down
  static constexpr unsigned all = 1u << 30;  // tiles; more than a block has
  static constexpr unsigned numbers = 16;    // more than the tiles that are in use at a time
  static_assert(numbers > 2 * window);
  typename Prefix::total total_[window][warps];
  typename Prefix::before before_[window][warps];
  typename Prefix::start start_[window];
  tile_type tile_[numbers];
  unsigned drawn_, prepared_, arrived_[window], finished_[window];

  static __device__ unsigned look(unsigned& at) {
    return __nv_atomic_load_n(&at, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  }
  static __device__ void await(unsigned& at, unsigned least) {
    if (threadIdx.x % warp_size == 0)
      while (int(look(at) - least) < 0) __nanosleep(nap);
    __syncwarp();
  }
  // By how many it was counted, by now.
  static __device__ unsigned count(unsigned& at) {
    unsigned before = 0;
    __syncwarp();
    if (threadIdx.x % warp_size == 0)
      before = __nv_atomic_fetch_add(&at, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
    return warp::broadcast(before) + 1;
  }
  static __device__ void tell(unsigned& at, unsigned now) {
    __syncwarp();
    if (threadIdx.x % warp_size == 0)
      __nv_atomic_store_n(&at, now, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  }
};

// Draws the block's j-th tile, when those before it are drawn.
template <class Prefix, class Source, class Rows>
__device__ void draw_tile(scan_call<Prefix, Source, Rows> const& call,
                          scan_board<Prefix, Rows>& board, unsigned j) {
  if (!call.has(board.tile(j - 1))) return;
  std::uint32_t const tiles = call.all_tiles();
  auto const tile = call.tile(tiles == 1 ? 1 : tickets(call.w, tiles).draw().number);
  board.tell_tile(j, tile, !call.has(tile));
}

// What the carrying warps do, `turn` in turn with the others: each collects the totals of the tiles
// since the block's last one while others do so for other tiles, and then adds them to what is
// before that. Where a tile is in another row than the last one, it begins anew with that row.
template <class Prefix, class Source, class Rows>
__device__ void carry_tiles(scan_call<Prefix, Source, Rows> const& call,
                            scan_board<Prefix, Rows>& board, unsigned turn) {
  unsigned const warps = blockDim.x / warp_size - carrying_warps;
  std::uint32_t const tiles = call.all_tiles();
  auto const& prefix = call.prefix;
  if (turn == 0) {
    auto const drawn = tiles == 1 ? tickets::ticket{0, 0} : tickets(call.w, tiles).draw();
    prefix.begin(board.shared);
    if (threadIdx.x % warp_size == 0) board.epoch = drawn.epoch;
    auto const tile = call.tile(drawn.number);
    board.tell_tile(0, tile, !call.has(tile));
  } else if (turn == 1) {
    // Later tiles are drawn when there is room for their elements: so who draws a tile loads it at
    // once, and tells its total soon.
    for (unsigned j = 1; j < board.window; ++j) draw_tile(call, board, j);
  }
  tile_of<Rows> last{};  // the tile before, or one of which there is none
  unsigned j = turn;
  for (;; j += carrying_warps) {
    auto const tile = board.tile(j);
    auto const row = tile.row, number = tile.number;
    last = j > 0 ? board.tile(j - 1) : call.tile_of_row(row, 0);
    if (!call.has(tile)) break;
    std::uint32_t const from = row == last.row ? last.number : 0;
    auto const totals = call.totals(row, board.epoch);
    auto const between = prefix.collect(totals, from, number);
    if (j > 0) board.await_prepared(j - 1);
    if (row != last.row) prefix.begin(board.shared);
    prefix.carry(board.shared, between, totals, from, number, board.start(j), j % board.window);
    board.await_together(j, warps);
    board.tell_prepared(j);
  }
  let_next_launch_start();
  if (tiles == 1 || (j > 0 && !call.has(last))) return;
  if (j > 0) board.await_prepared(j - 1);
  tickets(call.w, tiles).leave({board.epoch, call.place(board.tile(j))});
}

// A scanning warp, and its parts of the block's tiles in shared memory.
template <class Prefix, class Source, class Rows>
class scanning_warp {
  using tiling = scan_stages<Prefix, Source, Rows>;
  static constexpr unsigned stages = tiling::stages;

 public:
  __device__ scanning_warp(scan_call<Prefix, Source, Rows> const& call,
                           scan_board<Prefix, Rows>& board)
      : call_(call),
        board_(board),
        warps_(blockDim.x / warp_size - carrying_warps),
        warp_(threadIdx.x / warp_size),
        memory_(dynamic_shared<unsigned char>() + warp_ * tiling::warp_bytes) {}

  // Totals are told some tiles ahead, so that nobody waits for them, and the elements of more are
  // on their way.
  __device__ void scan_tiles() {
    constexpr unsigned ahead = stages - 2;
    unsigned gathered = 0;
    bool more = true;
    for (unsigned i = 0;; ++i) {
      while (more && gathered <= i + ahead) {
        load_known(i + stages - 1);
        more = has_tile(gathered);
        if (more) gather(gathered++);
      }
      if (i == gathered) break;
      load_known(i + stages - 1);
      board_.await_prepared(i);
      put_out(i);
      if (board_.finish(i, warps_)) draw_tile(call_, board_, i + stages);
    }
    let_next_launch_start();
  }

 private:
  scan_call<Prefix, Source, Rows> const& call_;
  scan_board<Prefix, Rows>& board_;
  unsigned const warps_, warp_;
  unsigned char* const memory_;
  unsigned asked_ = 0;  // tiles whose elements are loaded, or being loaded

  __device__ unsigned char* stage(unsigned i) const {
    return memory_ + i % stages * tiling::stage_bytes;
  }
  // What the lane keeps of the i-th tile.
  __device__ auto& kept(unsigned i) const {
    return reinterpret_cast<typename Prefix::part*>(stage(i) +
                                                    tiling::part_bytes)[threadIdx.x % warp_size];
  }
  __device__ bool has_tile(unsigned i) { return call_.has(board_.tile(i)); }

  // The warp's part of the block's i-th tile.
  __device__ auto part(unsigned i) {
    return tiling::part_of(call_, board_.tile(i), warps_, warp_, stage(i));
  }

  // Begins to load the parts that are known by now, up to the last-th.
  __device__ void load_known(unsigned last) {
    for (unsigned const known = board_.known(); asked_ <= last && asked_ < known; ++asked_) {
      if (has_tile(asked_)) tiling::load(call_, part(asked_), stage(asked_));
      __pipeline_commit();
    }
  }
  // Waits for the i-th part, when later ones may be on their way.
  __device__ void await_loaded(unsigned i) {
    if (asked_ <= i) load_known(i);
    if (asked_ > i + 2)
      __pipeline_wait_prior(2);
    else if (asked_ > i + 1)
      __pipeline_wait_prior(1);
    else
      __pipeline_wait_prior(0);
    __syncwarp();
  }

  __device__ void gather(unsigned i) {
    board_.await_room(i, warps_);
    await_loaded(i);
    kept(i) = call_.prefix.gather(part(i), board_.totals(i)[warp_]);
    if (!board_.arrive(i, warps_)) return;
    auto const tile = board_.tile(i);
    call_.prefix.publish(board_.shared, call_.totals(tile.row, board_.epoch), tile.number,
                         tile.number + 1 == call_.tiles, board_.totals(i), warps_, board_.before(i),
                         i % stages);
    board_.tell_together(i);
  }

  __device__ void put_out(unsigned i) {
    auto const p = part(i);
    call_.prefix.results(p, board_.shared, board_.totals(i), warp_, board_.start(i),
                         board_.before(i)[warp_], kept(i), call_.total);
    tiling::store(call_, p, stage(i));
  }
};

template <class Prefix, class Source, class Rows>
__global__ void __launch_bounds__(Prefix::threads + int(carrying_warps) * warp_size, 1)
    scan_array(__grid_constant__ scan_call<Prefix, Source, Rows> const call) {
  __shared__ scan_board<Prefix, Rows> board;
  board.clear();
  __syncthreads();
  await_launches_before();
  unsigned const behind = (blockDim.x - 1 - threadIdx.x) / warp_size;
  if (behind < carrying_warps)
    carry_tiles(call, board, carrying_warps - 1 - behind);
  else
    scanning_warp<Prefix, Source, Rows>(call, board).scan_tiles();
}

}  // namespace tally::device
