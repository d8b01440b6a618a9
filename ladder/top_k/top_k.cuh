// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "applied.cuh"
#include "ladder/rung.hpp"
#include "ladder/top_k/judge_top_k.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `top-k` share: everything but how they select.
namespace ladder::top_k {

constexpr int least = -2147483647 - 1;

// The greatest are the best. For the least ones all bits are turned around, which turns the order
// of ints around: so every kernel looks for the greatest.
struct ranking {
  int flip = 0;
  __host__ __device__ int operator()(int x) const { return x ^ flip; }  // and back
};

inline ranking ranking_of(problem const& p) { return {p.op == operation::minimum ? -1 : 0}; }
inline int const* elements_of(problem const& p) { return static_cast<int const*>(p.in); }
inline std::size_t found_at_most(problem const& p) { return std::min(p.k, p.n); }

// Where form (judge_top_k.hpp) says that results go.
struct results {
  unsigned long long* count;
  int* values;
  int* indices;

  explicit results(problem const& p)
      : count(static_cast<unsigned long long*>(p.out)),
        values(static_cast<int*>(p.out) + 2),
        indices(values + p.k) {}
};

__device__ inline std::size_t thread_of_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t threads_of_grid() { return std::size_t{gridDim.x} * blockDim.x; }

// What is verified of a size and shape. What depends on k is seen at small sizes; what depends on
// n, with the k that was asked for. Shapes other than the usual one: at a few sizes.
inline std::vector<problem> variants(rung const& r, problem const& p, bool usual_shape) {
  auto const most = r.most_k(p);
  bool const often = p.n == 33 || p.n == 257;
  std::vector<problem> all;
  auto const add = [&](std::size_t k, bool distinct) {
    all.push_back(p);
    all.back().k = std::min(k, most);
    all.back().distinct = distinct;
  };
  if (usual_shape || (often && !r.takes_distinct)) add(p.k, p.distinct);
  if (r.takes_distinct && (often || (usual_shape && p.n > 1000))) add(p.k, !p.distinct);
  if (!usual_shape || most == 1 || (p.n != 33 && p.n != 257)) return all;
  for (std::size_t const k : {std::size_t{1}, p.n, p.n + 1}) add(k, p.distinct);
  if (r.takes_distinct) add(p.n, !p.distinct);
  return all;
}

// A rung of this ladder.
inline rung select_rung(rung r, form gives) {
  using enum data;
  if (r.operations.empty()) r.operations = {operation::maximum, operation::minimum};
  r.elements = {element::int32};
  r.inputs = {page, plain, ascending, descending, equal, negative, data::least};
  r.out_bytes = [=](problem const& p) { return out_bytes(gives, p); };
  r.must_move = [=](problem const& p) { return p.n * 4 + out_bytes(gives, p); };
  r.judge = [=](outcome const& run) { return judge_top_k(gives, run); };
  if (!r.most_k) r.most_k = [](problem const& p) { return std::max<std::size_t>(p.n, 64); };
  auto const described = r;
  r.variants = [described](problem const& p, bool usual_shape) {
    return variants(described, p, usual_shape);
  };
  return r;
}

}  // namespace ladder::top_k
