// SPDX-License-Identifier: Apache-2.0
//
// Rung 13: a sample.
//
// Change:   one block sorts 2048 elements, one of each part of the array, and says from which of
//           them on there are likely to be k elements or a few more; these are copied, and rung 14
//           is for them only. If the sample misled, and they are fewer than k, for all.
// Predict:  the page's open question is whether the distribution of the data helps: it does. Of the
//           page's numbers about 24,000 of 10,000,000 are left for k = 10, so that the array is
//           read once. Where a sample is not like the whole it costs rung 14's time in addition.
// Measured: on an H200 133 us for k = 10, 134 for k = 100. We take it that most of this is many
//           launches one behind the other, not the one read.
// Bytes:    n elements read once, or again by rung 14.
#include <cmath>

#include "ladder/top_k/radix.cuh"

namespace ladder::top_k {

// The entries that the sample left, or the array if these are too few.
struct left_or_all {
  array_entries all;
  entry const* left;
  std::size_t count;
  bool enough;
  __device__ std::size_t size() const { return enough ? count : all.size(); }
  __device__ entry operator[](std::size_t i) const { return enough ? left[i] : all[i]; }
};
struct left_entries {
  array_entries all;
  entry const* left;
  cut const* state;
  std::size_t wanted;
  __device__ left_or_all open() const {
    auto const count = state->sampled;
    return {all, left, count, count >= wanted};
  }
};

// The place in the sorted sample from which on there are `wanted` of n elements, but for one chance
// in ten thousand or less: what is expected, and four standard deviations more.
static unsigned place_in_sample(std::size_t wanted, std::size_t n) {
  double const expected = double(wanted) * sort_tile / double(n);
  return unsigned(std::min(expected + 4 * std::sqrt(expected) + 4, 1e9));
}

// Where the i-th element of the sample is: anywhere in its part of the array, as a hash says. At
// even distances they could all be in step with the array: half of the page's have another sign.
[[maybe_unused]] static __host__ __device__ std::size_t place_of_sample(std::size_t i,
                                                                        std::size_t n) {
  std::size_t const first = n * i / sort_tile, width = n * (i + 1) / sort_tile - first;
  unsigned const mixed = (unsigned(i) + 1) * 2654435761u;
  return first + (width ? (mixed >> 8) % width : 0);
}

static __global__ void take_sample(array_entries in, entry* sample, cut* c) {
  std::size_t const i = thread_of_grid(), n = in.size();
  if (i == 0) c->sampled = 0;
  if (i < sort_tile) sample[i] = in[place_of_sample(i, n)];
}

// Copies the entries that are no worse than the sample's: all, if there is no such place in it.
static __global__ void copy_left(array_entries in, entry const* sample, unsigned place, cut* c,
                                 entry* left) {
  entry const least = place < sort_tile ? sample[place] : 0;
  std::size_t const n = in.size();
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    entry const e = in[i];
    applied();
    if (e >= least) left[atomicAdd(&c->sampled, 1ull)] = e;
  }
}

static void enqueue_sample(problem const& p) {
  auto const wanted = found_at_most(p);
  cut_scratch const scratch(p);
  entry *const sample = scratch.best + wanted, *const left = sample + sort_tile;
  if (wanted > 0) {
    tally::launch(take_sample, sort_tile / 256, 256, 0, p.stream)(entries_of(p), sample,
                                                                  scratch.state);
    enqueue_sort(sample, sort_tile, p.stream);
    tally::launch(copy_left, p.grid, p.block, 0, p.stream)(
        entries_of(p), sample, place_in_sample(wanted, p.n), scratch.state, left);
  }
  enqueue_radix_cut(p, left_entries{entries_of(p), left, scratch.state, wanted});
}

static registered const here{cut_rung({
    .id = "top-k/13_sample",
    .title = "A sample says where the best are",
    .bound = "reading once, and again where the sample misled",
    .scratch_bytes =
        [](problem const& p) { return cut_scratch::bytes(found_at_most(p) + sort_tile + p.n); },
    .enqueue = enqueue_sample,
})};

}  // namespace ladder::top_k
