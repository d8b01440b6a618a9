// SPDX-License-Identifier: Apache-2.0
//
// Scans of rows, or of one array, on a device by one kernel, with one read and one write: blocks
// draw tiles, publish a tile's total as soon as they know it, and add up the totals of the row's
// tiles since their last one. (Of the look-back of Merrill and Garland, 2016, the chain is left
// out: S. Maleki, A. Yang and M. Burtscher, "Higher-order and tuple-based massively-parallel prefix
// sums", PLDI 2016.) This file names no aggregate.
//
// A block goes through its tiles in turns. Most of its warps scan, each a part of every tile, which
// is copied into shared memory and, as results, out of it. The last two help them: one publishes
// the totals of tiles and draws further ones, the other collects what is before each. In a turn a
// scanning warp adds up its part of a tile, and puts out the results of one some tiles before that,
// whose totals have been published for as long: so nobody waits for them.
//
// Nobody waits for ever, though blocks need not run at the same time. Among the tiles that have no
// total yet, look at the first. A block that runs has drawn it, because tiles are drawn in order;
// before its warps add up their parts of it they wait only for results of tiles that the block drew
// before, and these for totals of tiles still further ahead, which there are.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/status_word.cuh"
#include "tally/device/grid/tickets.cuh"
#include "tally/device/scan/tile.cuh"

namespace tally::device {

inline constexpr unsigned helping_warps = 2;

// What a scanning warp has in dynamic shared memory: its parts of the tiles at hand.
template <class Prefix, class Source, class Rows>
struct scan_stages : scan_tiling<Prefix, Source, Rows, Prefix::vectors> {
  static constexpr unsigned stages = Prefix::stages;
  static constexpr std::size_t warp_bytes = stages * scan_stages::part_bytes;
};

// What the warps of a block tell one another, for as many turns as there are stages: a turn takes
// the place of an earlier one when all have put out their results of that.
template <class Prefix, class Rows>
struct scan_board {
  static constexpr unsigned stages = Prefix::stages;
  static constexpr int warps = Prefix::threads / warp_size;

  std::uint32_t epoch;
  struct stage {
    typename Prefix::total total[warps];
    typename Prefix::before before[warps];
    typename Prefix::start start;
    part_place part[warps];
    // A warp's elements are there; all totals are; what is before all parts is; all are done.
    phase_barrier loaded[warps], added_up, prepared, finished;
  };
  stage stage_of[stages];

  __device__ void clear(unsigned scanning) {
    for (stage& s : stage_of) {
      for (auto& loaded : s.loaded) loaded.make(1);
      for (auto& total : s.total) Prefix::clear(total);
      s.added_up.make(scanning), s.prepared.make(helping_warps), s.finished.make(scanning);
    }
    barriers_are_made();
  }
  __device__ stage& at(unsigned turn) { return stage_of[turn % stages]; }
  static __device__ unsigned phase(unsigned turn) { return turn / stages; }
  // The place of a turn is free.
  __device__ stage& begin(unsigned turn) {
    if (turn >= stages) at(turn).finished.await(phase(turn) - 1);
    return at(turn);
  }

  // The tiles of the turns at hand, and of as many further ones as there are stages. They are known
  // when what is before the tile so many turns ago is.
  __device__ auto& tile(unsigned turn) { return tiles_[turn % known]; }

 private:
  static constexpr unsigned known = 16;
  static_assert(known > 2 * stages);
  tile_of<Rows> tiles_[known];
};

// Draws the block's tiles, and publishes their totals.
template <class Prefix, class Source, class Rows>
class publishing_warp {
 public:
  __device__ publishing_warp(scan_call<Prefix, Source, Rows> const& call,
                             scan_board<Prefix, Rows>& board)
      : call_(call), board_(board), tickets_(call.w) {}

  // Those of the first turns, and asks for another.
  __device__ void draw_first() {
    tickets::asked first[stages];
#pragma unroll
    for (auto& asked : first) asked = tickets_.ask();
#pragma unroll
    for (unsigned j = 0; j < stages; ++j) tell(j, first[j]);
    if (more_) next_ = tickets_.ask();
  }
  __device__ void publish_tiles() {
    unsigned const warps = blockDim.x / warp_size - helping_warps;
    for (unsigned turn = 0; call_.has(board_.tile(turn)); ++turn) {
      auto& here = board_.begin(turn);
      auto const tile = board_.tile(turn);
      here.added_up.await(board_.phase(turn));
      call_.prefix.publish(call_.totals(tile.row, board_.epoch), tile.number,
                           tile.number + 1 == call_.tiles, here.total, warps, here.before);
      tell(turn + stages, next_);
      if (more_) next_ = tickets_.ask();
      here.prepared.arrive();
    }
  }

 private:
  static constexpr unsigned stages = Prefix::stages;
  scan_call<Prefix, Source, Rows> const& call_;
  scan_board<Prefix, Rows>& board_;
  tickets const tickets_;
  tickets::asked next_;
  bool more_ = true;  // the last one asked for may be a tile

  // All that come behind the last tile are in no row either.
  __device__ void tell(unsigned turn, tickets::asked const& asked) {
    auto tile = call_.tile(call_.all_tiles());
    if (more_) {
      auto const drawn = asked.take();
      if (turn == 0 && threadIdx.x % warp_size == 0) board_.epoch = drawn.epoch;
      if (drawn.number < call_.all_tiles()) tile = call_.tile(drawn.number);
      if (turn + 1 >= stages) more_ = call_.has(tile);
    }
    if (threadIdx.x % warp_size == 0) board_.tile(turn) = tile;
    __syncwarp();
  }
};

// Collects what is before each tile. Where a tile is in another row than the one before, it begins
// anew with that row.
template <class Prefix, class Source, class Rows>
__device__ void collect_tiles(scan_call<Prefix, Source, Rows> const& call,
                              scan_board<Prefix, Rows>& board) {
  auto const& prefix = call.prefix;
  auto carried = prefix.begin();
  auto last = call.tile_of_row(board.tile(0).row, 0);
  for (unsigned turn = 0;; ++turn) {
    auto& here = board.begin(turn);
    auto const tile = board.tile(turn);
    if (!call.has(tile)) break;
    if (tile.row != last.row) {
      carried = prefix.begin();
      last = call.tile_of_row(tile.row, 0);
    }
    prefix.carry(carried, call.totals(tile.row, board.epoch), last.number, tile.number, here.start);
    last = tile;
    here.prepared.arrive();
  }
  tickets(call.w).leave(board.epoch);
}

// A scanning warp, and its parts of the block's tiles.
template <class Prefix, class Source, class Rows>
class scanning_warp {
  using tiling = scan_stages<Prefix, Source, Rows>;
  static constexpr unsigned stages = Prefix::stages;
  static constexpr unsigned ahead = Prefix::ahead;  // totals are, of results
  static_assert(stages > ahead + 1);  // a part is loaded in a turn before it is added up

 public:
  __device__ scanning_warp(scan_call<Prefix, Source, Rows> const& call,
                           scan_board<Prefix, Rows>& board)
      : call_(call),
        board_(board),
        warps_(blockDim.x / warp_size - helping_warps),
        warp_(threadIdx.x / warp_size),
        memory_(dynamic_shared<unsigned char>() + warp_ * tiling::warp_bytes) {}

  __device__ void scan_tiles() {
    for (unsigned turn = 0; turn < stages; ++turn) load(turn);
    typename Prefix::part kept[ahead + 1];
    for (unsigned turn = 0;; ++turn) {
#pragma unroll
      for (unsigned i = ahead; i > 0; --i) kept[i] = kept[i - 1];
      if (auto const at = place(turn); at.exists()) kept[0] = add_up(turn, at);
      if (turn < ahead) continue;
      unsigned const done = turn - ahead;
      if (done > 0) load(done - 1 + stages);
      auto const at = place(done);
      if (!at.exists()) break;
      put_out(done, at, kept[ahead]);
    }
    await_copies();
  }

 private:
  scan_call<Prefix, Source, Rows> const& call_;
  scan_board<Prefix, Rows>& board_;
  unsigned const warps_, warp_;
  unsigned char* const memory_;

  __device__ unsigned char* memory(unsigned turn) const {
    return memory_ + turn % stages * tiling::part_bytes;
  }
  __device__ part_place& place(unsigned turn) { return board_.at(turn).part[warp_]; }

  // Begins to load the warp's part, where results were.
  __device__ void load(unsigned turn) {
    await_read_by_copies();
    auto const tile = board_.tile(turn);
    bool const exists = call_.has(tile), writes = threadIdx.x % warp_size == 0;
    part_place at{};
    if (call_.is_of_array || exists) at = tiling::place_of(call_, tile, warps_, warp_);
    if (!exists) at.count = part_place::none;
    if (writes) place(turn) = at;
    __syncwarp();
    if (exists)
      tiling::load(call_, tiling::part_at(call_, at, memory(turn)), memory(turn),
                   board_.at(turn).loaded[warp_]);
  }
  __device__ auto add_up(unsigned turn, part_place const& at) {
    auto& here = board_.begin(turn);
    here.loaded[warp_].await(board_.phase(turn));
    auto const kept =
        call_.prefix.gather(tiling::part_at(call_, at, memory(turn)), here.total[warp_]);
    here.added_up.arrive();
    return kept;
  }
  __device__ void put_out(unsigned turn, part_place const& at, typename Prefix::part const& kept) {
    auto const p = tiling::part_at(call_, at, memory(turn));
    auto& here = board_.at(turn);
    here.prepared.await(board_.phase(turn));
    call_.prefix.results(p, here.total, warp_, here.start, here.before[warp_], kept, call_.total);
    here.finished.arrive();
    tiling::template store<true>(call_, p, memory(turn));
  }
};

template <class Prefix, class Source, class Rows>
__global__ void __launch_bounds__(Prefix::threads + int(helping_warps) * warp_size, 1)
    scan_array(__grid_constant__ scan_call<Prefix, Source, Rows> const call) {
  __shared__ scan_board<Prefix, Rows> board;
  unsigned const scanning = blockDim.x / warp_size - helping_warps, warp = threadIdx.x / warp_size;
  if (threadIdx.x == 0) board.clear(scanning);
  await_launches_before();
  publishing_warp<Prefix, Source, Rows> publishing(call, board);
  if (warp == scanning) publishing.draw_first();
  __syncthreads();
  if (warp < scanning)
    scanning_warp<Prefix, Source, Rows>(call, board).scan_tiles();
  else if (warp == scanning)
    publishing.publish_tiles();
  else
    collect_tiles(call, board);
  let_next_launch_start();
}

}  // namespace tally::device
