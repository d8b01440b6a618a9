// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: one atomic a thread.
//
// Change:   no tree and no partials: every thread adds its total to the one result, which a launch
//           before has set to the identity; a third makes it the answer.
// Predict:  a step back. A million atomics on one address are done one after the other in one slice
//           of the L2, about one a nanosecond. Sums of floats differ from run to run.
// Measured: on an H200 1.8 ns an atomic for floats, 0.8 for integers of 64 bits: 133 and 55 times
//           the time of rung 6.
// Bytes:    n elements read; 1,048,576 atomics.
//
// An atomicAdd of floats in global memory flushes subnormal operands and results to zeros of the
// same sign, as PTX says of red.add.f32 and atom.add.f32; in shared memory it does not.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

__device__ void apply(sum<float>, float* at, float x) { atomicAdd(at, x); }
__device__ void apply(sum<int>, long long* at, long long x) {
  atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(x));
}
__device__ void apply(minimum<int>, int* at, int x) { atomicMin(at, x); }
__device__ void apply(maximum<int>, int* at, int x) { atomicMax(at, x); }

// There is no atomic minimum of floats: exchanges until nobody came in between, or x adds nothing.
template <class Op>
__device__ void apply(Op op, float* at, float x) {
  int seen = __float_as_int(op.identity());
  while (true) {
    int const wanted = __float_as_int(op(__int_as_float(seen), x));
    if (wanted == seen) return;
    int const found = atomicCAS(reinterpret_cast<int*>(at), seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

template <class Op>
__global__ void start(typename Op::state* total) {
  *total = Op::identity();
}

template <class Op>
__global__ void atomic_a_thread(typename Op::element const* in, std::size_t n,
                                typename Op::state* total, Op op) {
  apply(op, total, every_nth(in, n, thread_of_grid(), threads_of_grid(), op));
}

template <class Op>
__global__ void finish(typename Op::state const* total, typename Op::result* out, Op op) {
  *out = op.finish(*total);
}

static registered const here{reduction(
    {
        .id = "reduce/08_atomic_a_thread",
        .title = "One atomic a thread",
        .bound = "atomics on one address, one after the other",
        .page = "SinglePassAtomicKernel",
        .page_us = 2553,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      using partial = typename Op::partial;
      auto* const total = workspace<Op>(p.scratch).partials;
      tally::launch(start<Op>, 1, 1, 0, p.stream)(total);
      tally::launch(atomic_a_thread<partial>, p.grid, p.block, 0, p.stream)(
          static_cast<typename Op::element const*>(p.in), p.n, total, partial{});
      tally::launch(finish<Op>, 1, 1, 0, p.stream)(total, static_cast<typename Op::result*>(p.out),
                                                   op);
    })};

}  // namespace ladder::reduce
