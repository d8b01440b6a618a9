// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of selections are told: an input and its rows, the order, and where results go.
// Needs no CUDA toolkit.
#pragma once

#include <cstdint>

#include "tally/dtype.hpp"
#include "tally/exact/rank_order.hpp"
#include "tally/interpolation.hpp"
#include "tally/rows.hpp"
#include "tally/types.hpp"

namespace tally::detail {

// What became of a row in a kernel that cannot know it before it has read it: tests count them.
enum class top_k_path : unsigned {
  sampled,
  sampled_ties,
  by_digits,
  narrowed,
  narrowed_ties,
  distinct_among_best,
  value_set
};
inline constexpr unsigned top_k_paths = 7;

// Where the best of each row go: `most` places a row, of which those past its own are filled with
// `missing` and the index -1. What is null is not asked for.
template <class Bits>
struct gpu_selection {
  std::uint64_t most;
  std::int64_t const* ks;  // of the rows, no more than `most`; or null: all `most`
  bool sorted;
  Bits missing;
  Bits* values;
  std::int64_t* indices;
  std::int32_t* short_indices;
  std::uint64_t* counts;
  bool distinct = false;           // each value once, at its first index
  std::uint32_t* paths = nullptr;  // how many rows took each path

  TALLY_FN void put(std::uint64_t place, Bits value, std::int64_t index) const {
    values[place] = value;
    if (indices) indices[place] = index;
    if (short_indices) short_indices[place] = std::int32_t(index);
  }
  TALLY_FN std::uint64_t k_of(std::uint64_t r) const {
    if (!ks) return most;
    std::int64_t const k = ks[r];
    return k < 0 ? 0 : std::uint64_t(k) < most ? std::uint64_t(k) : most;
  }
  // Of a row of so many: more are not there. `most` may be beyond 32 bits where the row is not.
  TALLY_FN std::uint64_t k_of(std::uint64_t r, std::uint64_t size) const {
    std::uint64_t const k = k_of(r);
    return k < size ? k : size;
  }
};

// What belongs to the elements of rows, which lies as they do (row_layout). That of the best goes
// to their places in `chosen`; places past a row's own get zero bytes.
struct gpu_payload {
  void const* entries;
  void* chosen;
  unsigned bytes;  // of an entry: 1, 2, 4, 8 or 16
};

// The k-th of each row goes to values[row] and indices[row]; where there is none, `missing` and -1.
template <class Bits>
struct gpu_kth {
  std::uint64_t k;
  Bits missing;
  Bits* values;
  std::int64_t* indices;

  static TALLY_FN constexpr unsigned keys() { return 1; }
};

// `count` quantiles of each row go to `out`, which has `places` for each, from the place `first`
// on.
struct gpu_quantiles {
  static constexpr unsigned most = 32;  // of one launch

  dtype elements;
  interpolation method;
  bool skips_nan;
  unsigned count;
  quantile_place q[most];
  void* out;  // of quantile_of the elements
  std::uint64_t first, places;
  bool of_elements = false;  // or of integers, which are chosen

  TALLY_FN unsigned keys() const { return count; }
};

}  // namespace tally::detail

namespace tally::device {

// `In` is an array's elements as bits, or an input of one's own.
template <class In, class How>
struct row_request {
  using bits = bits_of<typename In::element>;

  In in;
  row_layout rows;
  rank_order<bits> order;
  How how;
};
template <class In>
using top_k_request = row_request<In, detail::gpu_selection<bits_of<typename In::element>>>;

}  // namespace tally::device
