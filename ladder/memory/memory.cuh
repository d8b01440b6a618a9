// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>

#include "ladder/judge.hpp"
#include "ladder/rung.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `memory` share. Each adds up numbers, a sum a thread, and differs in
// which lane reads which number when; the host adds up the threads' sums to check them.
namespace ladder::memory {

__device__ inline std::size_t thread_of_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t threads_of_grid() { return std::size_t{gridDim.x} * blockDim.x; }

inline unsigned whole_warps(unsigned block) { return (block + 31) / 32 * 32; }

// What all threads' sums come to: that of in[i] * weight(i).
using weight = std::function<long long(std::size_t i)>;

inline judgement judge_total(outcome const& run, weight const& of) {
  elements<int> const in(run.in);
  elements<long long> const out(run.out);
  long long expected = 0, found = 0;
  for (std::size_t i = 0; i < in.size(); ++i) expected += in[i] * of(i);
  for (std::size_t i = 0; i < out.size(); ++i) found += out[i];
  if (expected == found) return {.right = true};
  return {.why = unlike(expected, found)};
}

// A rung of this ladder: enqueue(problem, block, in, out) runs p.grid blocks of `block` threads, a
// multiple of 32, each of which writes its sum to `out`.
template <class Enqueue>
rung of_reads(rung r, Enqueue enqueue, weight of = [](std::size_t) { return 1; }) {
  r.grid = 1024;
  r.block = 256;
  r.operations = {operation::none};
  r.elements = {element::int32};
  r.inputs = {data::plain, data::hard};
  r.out_bytes = [](problem const& p) {
    return std::size_t{p.grid} * whole_warps(p.block) * sizeof(long long);
  };
  if (!r.must_move) r.must_move = [](problem const& p) { return p.n * sizeof(int); };
  r.enqueue = [=](problem const& p) {
    enqueue(p, whole_warps(p.block), static_cast<int const*>(p.in), static_cast<long long*>(p.out));
  };
  r.judge = [of](outcome const& run) { return judge_total(run, of); };
  return r;
}

}  // namespace ladder::memory
