// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/tile.cuh"
#include "tally/cuda/cuda_error.cuh"

// What rungs 15 and 16 share: tiles that tell the tiles behind them what comes before those.
namespace ladder::scan {

enum status : unsigned {
  nothing_yet,  // what the memory is set to before a launch
  has_total,    // of the tile alone
  has_prefix,   // of all elements up to its last
};

// A rung's scratch: a ticket counter and, for each tile, a status and two states.
template <class State>
class tile_states {
 public:
  tile_states(void* scratch, std::size_t tiles)
      : drawn_(static_cast<unsigned*>(scratch)),
        status_(drawn_ + 4),
        totals_(reinterpret_cast<State*>(static_cast<char*>(scratch) + cleared_bytes(tiles))),
        prefixes_(totals_ + tiles) {}
  static std::size_t bytes(std::size_t tiles) {
    return cleared_bytes(tiles) + tiles * 2 * largest_state;
  }
  // On the host, before each launch.
  static void clear(void* scratch, std::size_t tiles, cudaStream_t stream) {
    tally::check(cudaMemsetAsync(scratch, 0, cleared_bytes(tiles), stream));
  }

  // The next tile that no block has begun. So a block waits only for tiles of blocks that run, and
  // no order in which blocks come can hang.
  __device__ unsigned draw() const {
    __shared__ unsigned number;
    if (threadIdx.x == 0) number = atomicAdd(drawn_, 1u);
    __syncthreads();
    unsigned const drawn = number;
    __syncthreads();  // all have read it
    return drawn;
  }

  __device__ void publish(unsigned tile, State const& s, status what) const {
    (what == has_prefix ? prefixes_ : totals_)[tile] = s;
    __nv_atomic_store_n(status_ + tile, unsigned(what), __NV_ATOMIC_RELEASE,
                        __NV_THREAD_SCOPE_DEVICE);
  }
  // Waits until the tile has published, at least `what`.
  __device__ State await(unsigned tile, status what, unsigned& found) const {
    do {
      found = __nv_atomic_load_n(status_ + tile, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    } while (found < what);
    return (found == has_prefix ? prefixes_ : totals_)[tile];
  }

 private:
  unsigned *drawn_, *status_;
  State *totals_, *prefixes_;

  static std::size_t cleared_bytes(std::size_t tiles) { return 16 + (tiles + 3) / 4 * 16; }
};

// One launch of before_tile(number, total of the tile, states, op), which gives thread 0 what comes
// before the tile and publishes for the tiles behind.
template <class BeforeTile, class Op>
__global__ void single_pass(typename Op::element const* in, std::size_t n, unsigned tiles,
                            tile_states<typename Op::state> states, typename Op::result* out, Op op,
                            BeforeTile before_tile) {
  using state = typename Op::state;
  __shared__ state carry;
  for (unsigned number = states.draw(); number < tiles; number = states.draw()) {
    tile<Op> here(in, n, number, op);
    state of_tile;
    state const before = here.before(of_tile);
    state const first = before_tile(number, of_tile, states, op);
    if (threadIdx.x == 0) carry = first;
    __syncthreads();
    here.scan(op(carry, before), out);
    if (number == tiles - 1 && threadIdx.x == 0) out[n] = op.finish(op(carry, of_tile));
  }
}

// A rung of one launch by `before_tile`.
template <class BeforeTile>
rung single_pass_rung(rung r, BeforeTile before_tile) {
  r = scan_rung(of_tiles(std::move(r)), [=](problem const& p, auto op) {
    using Op = decltype(op);
    using states = tile_states<typename Op::state>;
    unsigned const block = whole_warps(p.block);
    std::size_t const tiles = tiles_of(p);
    states::clear(p.scratch, tiles, p.stream);
    tally::launch(single_pass<BeforeTile, Op>, p.grid, block, tile<Op>::shared_bytes(block),
                  p.stream)(elements_of<Op>(p), p.n, unsigned(tiles), states(p.scratch, tiles),
                            results_of<Op>(p), op, before_tile);
  });
  r.scratch_bytes = [](problem const& p) { return tile_states<int>::bytes(tiles_of(p)); };
  return r;
}

}  // namespace ladder::scan
