// SPDX-License-Identifier: Apache-2.0
//
// How often each fast and each slow path ran, so that tests can prove that they did. Counted once a
// call or a slow event, never once an element.
#pragma once

#include <cstdint>

namespace tally::detail {

enum class path : unsigned {
  top_k_direct,          // small n: histograms alone
  top_k_filter,          // one read: only what can be among the best was kept
  top_k_band,            // a band around the k-th key was gathered; a second read emits
  top_k_ties,            // the sample names the k-th key itself: counted, nothing gathered
  top_k_filter_retry,    // the sample misled: more candidates than room, or too few
  top_k_radix,           // histograms over the whole input
  top_k_radix_gather,    // ... and one bin of them gathered
  top_k_parallel,        // a stream's chunk was split over threads
  top_k_stream_compact,  // a stream's new candidates were cut to the k best
  top_k_distinct_merge,  // ... and merged into the best different values
  top_k_seen,            // repeats dropped before they took room (counted a flush)
  sum_window,            // tiles of a sum whose first fast path was exact
  sum_folds,             // ... that took two folds
  sum_table,             // ... that took a sum for every exponent
  sum_elements,          // ... that were added one element at a time
  squares_fast,          // tiles of a sum of squares: the fast path
  squares_table,         // ... a sum for every exponent
  squares_elements,      // ... one element at a time
  dot_products,          // tiles of a dot product whose products were doubles, then summed as such
  dot_elements,          // ... one pair at a time
  scan_emit,             // tiles of a prefix sum: the fast path
  scan_fit,              // windows chosen for it
  scan_integers,         // tiles of it that were added as integers (AVX-512)
  scan_loose,            // ... whose sums were known up to a bound, and tested
  scan_exact,            // ... that were rounded from the exact sum, one element at a time
  scan_elements,         // tiles of a prefix sum that were not finite, one element at a time
  count_
};

void count_path(path which, std::uint64_t by = 1);
std::uint64_t path_count(path which);

}  // namespace tally::detail
