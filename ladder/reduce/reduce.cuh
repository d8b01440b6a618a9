// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "ladder/judge.hpp"
#include "ladder/operators.cuh"
#include "ladder/rung.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `reduce` share: everything but how they reduce.
namespace ladder::reduce {

// A rung's scratch: room for a state a block, and a counter of blocks that is 0 between calls.
template <class Op>
struct workspace {
  unsigned* done;
  typename Op::state* partials;

  explicit workspace(void* scratch)
      : done(static_cast<unsigned*>(scratch)),
        partials(reinterpret_cast<typename Op::state*>(static_cast<char*>(scratch) + 16)) {}
  static std::size_t bytes(unsigned grid) { return 16 + grid * sizeof(typename Op::state); }
};

// Calls run(problem, operator).
template <class T, class Run>
void with_operator(problem const& p, Run run) {
  switch (p.op) {
    case operation::minimum: return run(p, minimum<T>{});
    case operation::maximum: return run(p, maximum<T>{});
    case operation::mean: return run(p, mean<T>{p.n});
    default: return run(p, sum<T>{});
  }
}

// A rung of this ladder, where enqueue(problem, operator) enqueues it.
template <class Enqueue>
rung reduction(rung r, Enqueue enqueue) {
  using enum operation;
  if (r.operations.empty()) r.operations = {sum, minimum, maximum, mean};
  if (r.elements.empty()) r.elements = {element::float32, element::int32};
  r.inputs = {data::plain, data::hard, data::nan};
  r.out_bytes = [](problem const& p) { return result_bytes(p.op, p.type); };
  r.scratch_bytes = [](problem const& p) { return workspace<ladder::sum<int>>::bytes(p.grid); };
  r.must_move = [](problem const& p) { return p.n * 4; };
  r.enqueue = [enqueue](problem const& p) {
    p.type == element::float32 ? with_operator<float>(p, enqueue) : with_operator<int>(p, enqueue);
  };
  r.judge = judge_reduction;
  return r;
}

template <class Op>
using first_pass = void (*)(typename Op::element const* in, std::size_t n,
                            typename Op::state* partials, typename Op::partial);
template <class Op>
using second_pass = void (*)(typename Op::state const* partials, std::size_t n,
                             typename Op::result* out, Op);

// The grid reduces the input to a partial a block, then one block reduces these. Each kernel writes
// its block's total to out[blockIdx.x].
template <class Op>
void two_passes(problem const& p, unsigned block, Op op, first_pass<Op> first,
                second_pass<Op> second) {
  std::size_t const shared_bytes = block * sizeof(typename Op::state);
  workspace<Op> const scratch(p.scratch);
  tally::launch(first, p.grid, block, shared_bytes, p.stream)(
      static_cast<typename Op::element const*>(p.in), p.n, scratch.partials,
      typename Op::partial{});
  tally::launch(second, 1, block, shared_bytes, p.stream)(
      scratch.partials, p.grid, static_cast<typename Op::result*>(p.out), op);
}

inline unsigned whole_warps(unsigned block) { return (block + 31) / 32 * 32; }

// The total of the calling thread's elements: of `threads` threads that take turns, it is the k-th.
template <class Op, class In>
__device__ typename Op::state every_nth(In const* in, std::size_t n, std::size_t k,
                                        std::size_t threads, Op op) {
  typename Op::state total = op.identity();
  for (std::size_t i = k; i < n; i += threads) total = op(total, in[i]);
  return total;
}

__device__ inline std::size_t thread_of_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t threads_of_grid() { return std::size_t{gridDim.x} * blockDim.x; }

}  // namespace ladder::reduce
