// SPDX-License-Identifier: Apache-2.0
//
// A peer: CUB's radix sort.
//
// Change:   not ours: cub::DeviceRadixSort of values with their indices from the CUDA toolkit, the
//           first k of which are taken. It is stable. (CUB's DeviceTopK is not in CUDA 13.0.)
// Predict:  four passes of 8 digits, each reading and writing values and indices; far ahead of
//           rung 15, and behind what does not sort.
// Measured: on an H200 408 us.
// Bytes:    n elements, and n indices, read and written four times.
#include <cub/device/device_radix_sort.cuh>

#include "ladder/top_k/top_k.cuh"

namespace ladder::top_k {

static __global__ void count_up(unsigned* indices, std::size_t n) {
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) indices[i] = unsigned(i);
}

static __global__ void take_first(int const* values, unsigned const* indices, std::size_t count,
                                  std::size_t k, results to) {
  if (thread_of_grid() == 0) *to.count = count;
  for (std::size_t i = thread_of_grid(); i < k; i += threads_of_grid()) {
    to.values[i] = i < count ? values[i] : 0;
    to.indices[i] = i < count ? int(indices[i]) : -1;
  }
}

// Values and indices, sorted and not, and CUB's own memory behind them.
struct sorting {
  int* values;
  unsigned *indices, *sorted_indices;
  void* own;

  explicit sorting(problem const& p)
      : values(static_cast<int*>(p.scratch)),
        indices(reinterpret_cast<unsigned*>(values + even(p.n))),
        sorted_indices(indices + even(p.n)),
        own(sorted_indices + even(p.n)) {}
  static std::size_t even(std::size_t n) { return (n + 63) / 64 * 64; }
};

// As CUB's calls go: tells `bytes` where `own` is null.
static void sort_with_cub(problem const& p, sorting const& to, void* own, std::size_t& bytes) {
  if (p.op == operation::minimum)
    tally::check(cub::DeviceRadixSort::SortPairs(own, bytes, elements_of(p), to.values, to.indices,
                                                 to.sorted_indices, p.n, 0, 32, p.stream));
  else
    tally::check(cub::DeviceRadixSort::SortPairsDescending(own, bytes, elements_of(p), to.values,
                                                           to.indices, to.sorted_indices, p.n, 0,
                                                           32, p.stream));
}

static std::size_t cub_bytes(problem const& p) {
  std::size_t bytes = 0;
  sort_with_cub(p, sorting(p), nullptr, bytes);
  return bytes;
}

static registered const here{select_rung(
    {
        .id = "top-k/16_cub",
        .title = "CUB's DeviceRadixSort, the first k of it",
        .bound = "four passes over values and indices",
        .grid = 528,
        .block = 256,
        .fixed_shape = true,
        .peer = true,
        .scratch_bytes =
            [](problem const& p) { return 12 * sorting::even(p.n) + cub_bytes(p) + 256; },
        .enqueue =
            [](problem const& p) {
              sorting const to(p);
              std::size_t bytes = cub_bytes(p);
              tally::launch(count_up, p.grid, p.block, 0, p.stream)(to.indices, p.n);
              sort_with_cub(p, to, to.own, bytes);
              tally::launch(take_first, p.grid, p.block, 0, p.stream)(
                  to.values, to.sorted_indices, found_at_most(p), p.k, results(p));
            },
    },
    {.indices = true})};

}  // namespace ladder::top_k
