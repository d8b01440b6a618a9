// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "applied.cuh"
#include "ladder/judge.hpp"
#include "ladder/rung.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `squares` share: everything but how they add up the squares.
namespace ladder::squares {

// Sums are unsigned, of 32 or 64 bits, and right modulo 2 to that power, whatever the input.
template <class Sum>
__device__ Sum add(Sum a, Sum b) {
  applied();
  return a + b;
}
template <class Sum>
__device__ Sum add_square(Sum total, int x) {
  return add(total, static_cast<Sum>(x) * static_cast<Sum>(x));
}

// The sum of the calling thread's squares: of `threads` threads that take turns, it is the k-th.
template <class Sum>
__device__ Sum every_nth_square(int const* in, std::size_t n, std::size_t k, std::size_t threads) {
  Sum total = 0;
  for (std::size_t i = k; i < n; i += threads) total = add_square(total, in[i]);
  return total;
}

__device__ inline std::size_t thread_of_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t threads_of_grid() { return std::size_t{gridDim.x} * blockDim.x; }

// The rung's `out` holds partial sums: the host adds them up, one addition each.
template <class Sum>
judgement judge_squares(outcome const& run) {
  elements<int> const in(run.in);
  elements<Sum> const out(run.out);
  Sum exact = 0, found = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    exact += static_cast<Sum>(in[i]) * static_cast<Sum>(in[i]);
  }
  judgement judged;
  if (out.size() == 1) {
    found = out[0];
  } else {
    for (; judged.host_additions < out.size(); ++judged.host_additions) {
      found += out[judged.host_additions];
    }
  }
  judged.right = exact == found;
  if (!judged.right) judged.why = unlike((long long)exact, (long long)found);
  return judged;
}

// A rung of this ladder: outputs(problem) sums are written by enqueue(problem, in, out).
template <class Sum, class Outputs, class Enqueue>
rung of_squares(rung r, Outputs outputs, Enqueue enqueue) {
  r.operations = {operation::sum_of_squares};
  r.elements = {element::int32};
  r.inputs = {data::plain, data::hard};
  r.out_bytes = [=](problem const& p) { return outputs(p) * sizeof(Sum); };
  r.must_move = [](problem const& p) { return p.n * 4; };
  r.enqueue = [=](problem const& p) {
    enqueue(p, static_cast<int const*>(p.in), static_cast<Sum*>(p.out));
  };
  r.judge = judge_squares<Sum>;
  return r;
}

inline std::size_t one(problem const&) { return 1; }
inline std::size_t one_a_block(problem const& p) { return p.grid; }
inline std::size_t one_a_thread(problem const& p) { return std::size_t{p.grid} * p.block; }

}  // namespace ladder::squares
