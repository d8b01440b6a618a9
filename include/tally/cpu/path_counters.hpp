// SPDX-License-Identifier: Apache-2.0
//
// How often each fast and each slow path ran: tests prove that they did, and explain_cpu()
// (devices.hpp) tells. Counted once a call or a slow event, never once an element.
#pragma once

#include <cstdint>

namespace tally::detail {

// clang-format off
#define TALLY_PATHS(X)                                                                        \
  X(top_k_few,            "selection of few, by insertion")                                   \
  X(top_k_direct,         "selection of few elements, by histograms alone")                   \
  X(top_k_filter,         "selection in one read, which keeps what can be among the best")    \
  X(top_k_band,           "selection in two reads, by a band around the k-th key")            \
  X(top_k_ties,           "selection whose sample named the k-th key")                        \
  X(top_k_filter_retry,   "sample that misled: too many candidates, or too few")              \
  X(top_k_radix,          "histogram over the whole input")                                   \
  X(top_k_radix_gather,   "bin of them that was gathered")                                    \
  X(top_k_parallel,       "chunk of a stream that was split over threads")                    \
  X(top_k_stream_compact, "cut of a stream's candidates to the k best")                       \
  X(top_k_distinct_merge, "merge of candidates into the best different values")               \
  X(top_k_seen,           "flush that dropped repeats before they took room")                 \
  X(sum_window,           "tile of a sum, fast path")                                         \
  X(sum_folds,            "tile of a sum in two folds")                                       \
  X(sum_table,            "tile of a sum, by a sum for every exponent")                       \
  X(sum_elements,         "tile of a sum, one element at a time")                             \
  X(squares_fast,         "tile of squares, fast path")                                       \
  X(squares_table,        "tile of squares, by a sum for every exponent")                     \
  X(squares_elements,     "tile of squares, one element at a time")                           \
  X(dot_products,         "tile of pairs whose products are doubles")                         \
  X(dot_elements,         "tile of pairs, one pair at a time")                                \
  X(scan_emit,            "tile of a scan, fast path")                                        \
  X(scan_fit,             "window chosen for a scan")                                         \
  X(scan_integers,        "tile of a scan, added as integers")                                \
  X(scan_loose,           "tile of a scan, its sums known up to a bound and tested")          \
  X(scan_exact,           "tile of a scan, rounded from the exact sum one element at a time") \
  X(scan_elements,        "tile of a scan that is not finite, one element at a time")         \
  X(parts,                "part that threads shared")
// clang-format on

#define TALLY_PATH(NAME, TEXT) NAME,
enum class path : unsigned { TALLY_PATHS(TALLY_PATH) count_ };
#undef TALLY_PATH

void count_path(path which, std::uint64_t by = 1);
std::uint64_t path_count(path which);

}  // namespace tally::detail
