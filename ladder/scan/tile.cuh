// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/block_scan.cuh"

// What the rungs for any n share, 14 to 16: how a block goes through a tile of the array.
namespace ladder::scan {

// Elements that a thread folds in a row; odd, so that the lanes' turns fall into different banks.
constexpr unsigned a_thread = 11;

inline unsigned whole_warps(unsigned block) { return (block + 31) / 32 * 32; }
inline std::size_t tile_size(unsigned block) { return std::size_t{whole_warps(block)} * a_thread; }

// At least one, which writes the total of nothing.
inline std::size_t tiles_of(problem const& p) {
  return p.n / tile_size(p.block) + (p.n % tile_size(p.block) != 0 || p.n == 0);
}

// A tile in the block's dynamic shared memory. All threads call each function together.
template <class Op>
class tile {
 public:
  using state = typename Op::state;
  static std::size_t shared_bytes(unsigned block) { return tile_size(block) * sizeof(state); }

  // Brings the tile: a warp reads neighbours. Each thread puts them where itself has read results.
  __device__ tile(typename Op::element const* in, std::size_t n, std::size_t number, Op op)
      : op_(op), x_(tally::dynamic_shared<state>()) {
    unsigned const size = blockDim.x * a_thread;
    first_ = number * size;
    std::size_t const left = n - first_;
    count_ = left < size ? unsigned(left) : size;
    for (unsigned i = threadIdx.x; i < count_; i += blockDim.x) x_[i] = lifted<Op>(in[first_ + i]);
    __syncthreads();
    unsigned const begin = threadIdx.x * a_thread, end = begin + a_thread;
    begin_ = begin < count_ ? begin : count_;
    end_ = end < count_ ? end : count_;
  }

  // What the elements of the tile before the thread's own come to; `all` takes what all come to.
  __device__ state before(state& all) const {
    state own = op_.identity();
    for (unsigned i = begin_; i < end_; ++i) own = i == begin_ ? x_[i] : op_(own, x_[i]);
    return exclusive_in_block(own, all, op_);
  }

  // Writes the results, `x` being what comes before the thread's own elements.
  __device__ void scan(state x, typename Op::result* out) {
    for (unsigned i = begin_; i < end_; ++i) x_[i] = x = op_(x, x_[i]);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count_; i += blockDim.x) out[first_ + i] = op_.finish(x_[i]);
  }

 private:
  Op op_;
  state* x_;
  std::size_t first_;
  unsigned count_, begin_, end_;
};

// The usual shape of these rungs, and their borders in the shapes that are verified.
inline rung of_tiles(rung r) {
  r.grid = 1024;
  r.block = 256;
  for (unsigned const block : {64u, 96u, 128u, 256u})
    for (std::size_t const n : {tile_size(block), 2 * tile_size(block)})
      r.verified_sizes.insert(r.verified_sizes.end(), {n - 1, n, n + 1});
  return r;
}

}  // namespace ladder::scan
