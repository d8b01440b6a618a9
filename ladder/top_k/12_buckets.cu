// SPDX-License-Identifier: Apache-2.0
//
// Rung 12: buckets.
//
// Change:   no lists, and buckets for the whole array: all elements are counted in 1024 of one
//           width between the least and the greatest, then those of the bucket where the k-th best
//           is in 1024 again, and so on. At the end everything above the cut is gathered and
//           sorted: k elements only.
// Predict:  the time does not grow with k. Of evenly spread numbers 10,000 are in a bucket after
//           one round, 10 after two. Passes over the array before and after these find its least
//           and greatest, and gather: 5 in all. Where a few elements are far from all others,
//           rounds are wasted, up to 7. A division of 64 bits an element and round is dearer than
//           reading it.
// Measured: on an H200 373 us for k = 10, 383 for k = 100.
// Bytes:    n elements read 5 times or more.
//
// An element and its index are one number here, so that the cut also goes through equal elements,
// and indices are found: any k, in the order of a stable sort. No rung from here on takes equal
// elements once.
#include "ladder/top_k/cut.cuh"

namespace ladder::top_k {

struct ends {
  entry least, greatest;
};

static __global__ void begin_ends(ends* e) { e->least = ~entry{0}, e->greatest = 0; }

static __global__ void find_ends(array_entries in, ends* to) {
  entry low = ~entry{0}, high = 0;
  for (std::size_t i = thread_of_grid(); i < in.size(); i += threads_of_grid()) {
    entry const e = in[i];
    applied();
    low = e < low ? e : low;
    high = e > high ? e : high;
  }
  if (low > high) return;  // it had no elements
  atomicMin(&to->least, low);
  atomicMax(&to->greatest, high);
}

static __global__ void begin_buckets(ends const* of, cut* c, std::size_t wanted) {
  begin(c, of->least, of->greatest - of->least, wanted);
}

static void enqueue_buckets(problem const& p) {
  constexpr unsigned bins = 1024, rounds = 7;  // 1024^7 > 2^64
  cut* const state = cut_scratch(p).state;
  auto* const of = reinterpret_cast<ends*>(cut_scratch(p).best + found_at_most(p));
  tally::launch(begin_ends, 1, 1, 0, p.stream)(of);
  tally::launch(find_ends, p.grid, p.block, 0, p.stream)(entries_of(p), of);
  tally::launch(begin_buckets, 1, 256, 0, p.stream)(of, state, found_at_most(p));
  enqueue_cut<bins, division>(p, entries_of(p), rounds);
}

static registered const here{cut_rung({
    .id = "top-k/12_buckets",
    .title = "Buckets between the least and the greatest",
    .bound = "reading, 5 times or more, and a division each time",
    .scratch_bytes =
        [](problem const& p) { return cut_scratch::bytes(found_at_most(p)) + sizeof(ends); },
    .enqueue = enqueue_buckets,
})};

}  // namespace ladder::top_k
