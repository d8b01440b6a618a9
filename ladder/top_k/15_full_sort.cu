// SPDX-License-Identifier: Apache-2.0
//
// Rung 15: a full sort.
//
// Change:   all n elements are sorted, by a bitonic sort, and the first k taken.
// Predict:  the page leaves this for "next time". log2 n (log2 n + 1) / 2 steps, 300 for its
//           10,000,000 numbers. 91 of them read and write 80 MB each; the others stay in shared
//           memory, in 14 passes that do so, too: many times rung 14, whatever k is.
// Measured: on an H200 4,490 us.
// Bytes:    16 n bytes in each of 105 passes.
#include "ladder/top_k/bitonic.cuh"

namespace ladder::top_k {

static __global__ void make_entries(array_entries in, entry* to) {
  for (std::size_t i = thread_of_grid(); i < in.size(); i += threads_of_grid()) to[i] = in[i];
}

static void enqueue_full_sort(problem const& p) {
  auto* const all = static_cast<entry*>(p.scratch);
  tally::launch(make_entries, p.grid, p.block, 0, p.stream)(entries_of(p), all);
  enqueue_sort(all, p.n, p.stream);
  enqueue_write_entries(p, all);
}

static rung full_sort() {
  rung r = select_rung(
      {
          .id = "top-k/15_full_sort",
          .title = "Sort all, take the first k",
          .bound = "105 passes over the page's 10,000,000 entries",
          .grid = 528,
          .block = 256,
          .fixed_shape = true,
          .verified_sizes = {2047, 2048, 2049, 4095, 4096, 4097, 6145},
          .scratch_bytes = [](problem const& p) { return p.n * sizeof(entry); },
          .enqueue = enqueue_full_sort,
      },
      {.indices = true});
  r.inputs = {data::page, data::plain, data::least};  // it does the same whatever they are
  r.variants = [usual = r.variants](problem const& p, bool usual_shape) {
    return p.n == 65'537 ? std::vector<problem>{} : usual(p, usual_shape);  // as 65,536
  };
  return r;
}

static registered const here{full_sort()};

}  // namespace ladder::top_k
