// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/entries.cuh"

// A bitonic sort, best first: sorted runs of s / 2 become runs of s. First each element of a run is
// compared with its mirror image in the other, so that the better half comes first; then, in each
// half, with that half as far away, and so on down to neighbours. The better of two always goes to
// the lower place: places past the end need nobody, as what would be there is worst and stays.
namespace ladder::top_k {

constexpr unsigned sort_tile = 2048, sort_threads = 256;

// The two places of the c-th comparison of a step.
struct mirrored {
  std::size_t size;
  __device__ void places(std::size_t c, std::size_t& low, std::size_t& high) const {
    std::size_t const half = size / 2, run = c / half * size, i = c % half;
    low = run + i;
    high = run + size - 1 - i;
  }
};
struct apart {
  std::size_t distance;
  __device__ void places(std::size_t c, std::size_t& low, std::size_t& high) const {
    low = c / distance * 2 * distance + c % distance;
    high = low + distance;
  }
};

template <class Step>
__device__ void compare_and_exchange(entry* all, std::size_t n, Step step, std::size_t c) {
  std::size_t low, high;
  step.places(c, low, high);
  if (high >= n) return;
  applied();
  entry const a = all[low], b = all[high];
  if (a < b) all[low] = b, all[high] = a;
}

template <class Step>
__global__ void sort_step(entry* all, std::size_t n, std::size_t comparisons, Step step) {
  for (std::size_t c = thread_of_grid(); c < comparisons; c += threads_of_grid())
    compare_and_exchange(all, n, step, c);
}

template <class Step>
__device__ void step_in_tile(entry* tile, unsigned n, Step step) {
  for (unsigned c = threadIdx.x; c < sort_tile / 2; c += blockDim.x)
    compare_and_exchange(tile, n, step, c);
  __syncthreads();
}

__device__ inline void halves_in_tile(entry* tile, unsigned n, unsigned distance) {
  for (; distance > 0; distance /= 2) step_in_tile(tile, n, apart{distance});
}

// Each block sorts its tile, or merges what is in halves already.
template <bool merges>
__global__ void sort_tiles(entry* all, std::size_t n) {
  __shared__ entry tile[sort_tile];
  std::size_t const first = std::size_t{blockIdx.x} * sort_tile, left = n - first;
  unsigned const count = left < sort_tile ? unsigned(left) : sort_tile;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) tile[i] = all[first + i];
  __syncthreads();
  for (unsigned size = 2; !merges && size <= sort_tile; size *= 2) {
    step_in_tile(tile, count, mirrored{size});
    halves_in_tile(tile, count, size / 4);
  }
  if (merges) halves_in_tile(tile, count, sort_tile / 2);
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) all[first + i] = tile[i];
}

// Steps within tiles stay in shared memory; the others are a launch each.
inline void enqueue_sort(entry* all, std::size_t n, cudaStream_t stream) {
  if (n < 2) return;
  auto const tiles = unsigned((n + sort_tile - 1) / sort_tile);
  std::size_t const comparisons = tiles * std::size_t{sort_tile / 2};
  auto const blocks = unsigned(std::min<std::size_t>(comparisons / sort_threads, 1 << 14));
  tally::launch(sort_tiles<false>, tiles, sort_threads, 0, stream)(all, n);
  for (std::size_t size = 2 * sort_tile; size < 2 * n; size *= 2) {
    std::size_t const most = (n + size - 1) / size * (size / 2);
    tally::launch(sort_step<mirrored>, blocks, sort_threads, 0, stream)(all, n, most,
                                                                        mirrored{size});
    for (std::size_t distance = size / 4; distance >= sort_tile; distance /= 2)
      tally::launch(sort_step<apart>, blocks, sort_threads, 0, stream)(all, n, most,
                                                                       apart{distance});
    tally::launch(sort_tiles<true>, tiles, sort_threads, 0, stream)(all, n);
  }
}

}  // namespace ladder::top_k
