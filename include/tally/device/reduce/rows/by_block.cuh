// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows by blocks, each of which computes one row after another as an agent does:
// all rows, or those of which a faster way has left the result in doubt.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/reduce/kernel.cuh"
#include "tally/device/reduce/rows/by_lanes.cuh"
#include "tally/device/reduce/rows/input.cuh"
#include "tally/device/reduce/rows/lanes.cuh"

namespace tally::device {

// What lanes that try again add up.
template <class Again>
struct sum_again {
  using type = char;  // there are none such
};
template <class Again>
  requires requires { typename Again::sum; }
struct sum_again<Again> {
  using type = typename Again::sum;
};

// `Again` is what lanes may do about a row in doubt, before a block computes it.
template <class Agent, class Again, class In>
struct rows_call {
  In in;
  rows<typename Agent::result> out;
  Agent agent;
  Again again;
  bool together;
  unsigned group;             // lanes of a row that try again
  doubtful_rows doubt;        // whose count is null: all rows
  unsigned long long* ended;  // how many blocks have; zero between launches
  // Where rows are long: room for a piece of a row from each block.
  typename sum_again<Again>::type* pieces;
};

// Adds the elements of a row by all threads of a block.
template <class Agent, class Again, class In>
__device__ void add_row(rows_call<Agent, Again, In> const& call, std::uint64_t r,
                        typename Agent::accumulator& acc, typename Agent::shared& shared) {
  auto const& agent = call.agent;
  auto const row = call.in.row(r);
  for_vectors(
      row, call.together, 0, row.size(), threadIdx.x, blockDim.x,
      [&](auto const& from, std::uint64_t first, std::uint64_t vectors) {
        using source = std::remove_cvref_t<decltype(from)>;
        constexpr int each = source::each, loads = source::loads;
#pragma unroll 1
        for (std::uint64_t at = 0; at < vectors; at += std::uint64_t(loads) * blockDim.x) {
          typename source::template batch_type<loads> x;
          unsigned live = 0;
#pragma unroll
          for (int j = 0; j < loads; ++j) {
            std::uint64_t const v = at + j * blockDim.x + threadIdx.x;
            if (v < vectors)
              from.load(x, j, v), live |= 1u << j;
            else
              x.clear(j);
          }
          auto const index = [&](int k) {
            return first + (at + k / each * blockDim.x + threadIdx.x) * each + k % each;
          };
          for_values(from, x, live, index, [&](auto& x, unsigned live, auto index) {
            agent.add(acc, shared, x, live, index);
          });
        }
      },
      [&](std::uint64_t i) { agent.add(acc, shared, row[i], i); });
}

// Says that the block has read how many rows there are; the last to do so leaves zeros.
__device__ inline void end_doubt(doubtful_rows const& doubt, unsigned long long* ended) {
  auto const before =
      __nv_atomic_fetch_add(ended, 1ull, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  if (before + 1 == gridDim.x) *ended = *doubt.count = 0;
}

template <class Agent, class Again, class In>
__device__ void reduce_row(rows_call<Agent, Again, In> const& call, std::uint64_t r,
                           typename Agent::shared& shared) {
  typename Agent::accumulator acc;
  call.agent.start(acc, shared);
  add_row(call, r, acc, shared);
  call.agent.close(acc, shared);
  call.agent.finish(acc, shared, call.in.size(r), call.out.data + call.out.begin(r));
  __syncthreads();
}

// Longer rows take a group of lanes longer than a block.
inline constexpr std::uint64_t longest_tried_again = 1 << 16;

// Tries again with those of the rows [first, first + groups) in doubt that are the block's; leaves
// in `rest` those for which that does not do either, and returns how many these are.
template <class Agent, class Again, class In, unsigned Groups>
__device__ unsigned try_again(rows_call<Agent, Again, In> const& call, std::uint64_t first,
                              std::uint64_t rows, std::uint64_t (&rest)[Groups]) {
  __shared__ unsigned left;
  if (threadIdx.x == 0) left = 0;
  __syncthreads();
  std::uint64_t const i = first + threadIdx.x / call.group;
  bool const is = i < rows;
  unsigned const lane = threadIdx.x % call.group;
  std::uint64_t const r = is ? call.doubt.row[i] : 0, n = is ? call.in.size(r) : 0;
  bool const tries = n <= longest_tried_again;
  auto const lanes = lanes_of_row(call.again, call.in.row(r));
  auto const mine = add_some(lanes, call.in, call.together, r, 0, tries ? n : 0, lane, call.group);
  auto const sum = fold_group(lanes, mine, call.group);
  typename Agent::result result;
  if (is && lane == 0) {
    if (tries && lanes.finish(sum, n, result))
      call.out.data[call.out.begin(r)] = result;
    else
      rest[atomicAdd(&left, 1u)] = r;
  }
  __syncthreads();
  unsigned const found = left;
  __syncthreads();  // the next round counts anew
  return found;
}

// Tries again with few rows, of which each block has a piece; the last one to be done with a row
// puts its pieces together.
template <class Agent, class Again, class In>
__device__ void try_pieces(rows_call<Agent, Again, In> const& call, unsigned rows, unsigned pieces,
                           typename Agent::shared& shared) {
  using sum = typename Again::sum;
  constexpr std::uint64_t each = row_source<In>::each;
  __shared__ fold_places<sum, int(Agent::threads / warp_size)> of_warp;
  __shared__ bool is_last, is_left;
  unsigned const i = blockIdx.x / pieces, p = blockIdx.x % pieces;
  if (i >= rows) return;
  std::uint64_t const r = call.doubt.row[i], n = call.in.size(r);
  std::uint64_t const piece = ((n + pieces - 1) / pieces + each - 1) / each * each;
  std::uint64_t const begin = min(p * piece, n), end = min(begin + piece, n);
  auto const lanes = lanes_of_row(call.again, call.in.row(r));
  auto const warp_sum = [&](sum const& s) { return fold_group(lanes, s, warp_size); };
  auto const mine =
      fold_block(add_some(lanes, call.in, call.together, r, begin, end, threadIdx.x, blockDim.x),
                 lanes.none(), of_warp, warp_sum);
  if (threadIdx.x == 0) {
    call.pieces[blockIdx.x] = mine;
    unsigned const before = __nv_atomic_fetch_add(call.doubt.pieces + i, 1u, __NV_ATOMIC_ACQ_REL,
                                                  __NV_THREAD_SCOPE_DEVICE);
    is_last = before + 1 == pieces;
  }
  __syncthreads();
  if (!is_last) return;
  if (threadIdx.x < warp_size) {
    auto all = lanes.none();
    for (unsigned k = threadIdx.x; k < pieces; k += warp_size)
      all = lanes.combine(all, read_sum(call.pieces + (i * pieces + k)));
    all = warp_sum(all);
    typename Agent::result result;
    if (threadIdx.x == 0 && !(is_left = !lanes.finish(all, n, result)))
      call.out.data[call.out.begin(r)] = result;
  }
  __syncthreads();
  if (is_left) reduce_row(call, r, shared);
}

template <class Agent, class Again, class In>
__global__ void __launch_bounds__(Agent::threads, Agent::blocks_a_multiprocessor)
    reduce_rows_by_block(__grid_constant__ rows_call<Agent, Again, In> const call) {
  __shared__ typename Agent::shared shared;
  __shared__ std::uint64_t rows;
  await_launches_before();
  bool const some = call.doubt.count;
  if (threadIdx.x == 0) rows = some ? *call.doubt.count : call.in.layout().count;
  __syncthreads();
  if constexpr (std::is_same_v<Again, no_lanes>) {
#pragma unroll 1
    for (std::uint64_t i = blockIdx.x; i < rows; i += gridDim.x)
      reduce_row(call, some ? call.doubt.row[i] : i, shared);
  } else if (call.pieces && 2 * rows <= gridDim.x) {
    if (rows > 0) try_pieces(call, unsigned(rows), gridDim.x / unsigned(rows), shared);
  } else {
    __shared__ std::uint64_t rest[Agent::threads / rows_at_once];
    unsigned const groups = blockDim.x / call.group;
#pragma unroll 1
    for (std::uint64_t first = std::uint64_t(blockIdx.x) * groups; first < rows;
         first += std::uint64_t(gridDim.x) * groups) {
      unsigned const left = try_again(call, first, rows, rest);
#pragma unroll 1
      for (unsigned i = 0; i < left; ++i) reduce_row(call, rest[i], shared);
    }
  }
  if (some && threadIdx.x == 0) end_doubt(call.doubt, call.ended);
  let_next_launch_start();
}

}  // namespace tally::device
