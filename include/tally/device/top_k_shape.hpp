// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a top-k are told of its rows and its outputs. Needs no CUDA toolkit.
#pragma once

#include <cstdint>

#include "tally/types.hpp"

namespace tally::detail {

// Rows of an input: the element i of row r is the input's element r * stride + starts[r] + i. What
// is null is 0 for a start, and `length` for a length. The arrays are in the GPU's memory.
struct gpu_rows {
  std::uint64_t count, length, stride;
  std::int64_t const* starts;
  std::int64_t const* lengths;

  TALLY_FN std::uint64_t begin(std::uint64_t r) const {
    return r * stride + std::uint64_t(starts ? starts[r] : 0);
  }
  TALLY_FN std::uint64_t size(std::uint64_t r) const {
    if (!lengths) return length;
    std::int64_t const n = lengths[r];
    return n < 0 ? 0 : std::uint64_t(n) < length ? std::uint64_t(n) : length;
  }
};

// In which ways rows were selected: tests count them.
enum class top_k_path : unsigned {
  sampled,
  sampled_ties,
  by_digits,
  short_rows,
  narrowed,
  narrowed_ties,
  warp_rows,
  distinct_among_best,
  block_rows,
  value_sets,
  held
};
inline constexpr unsigned top_k_paths = 11;

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

// What belongs to the elements of rows: to element i of row r the entry rows.begin(r) + i. Those of
// the best go to their places in `chosen`; places past a row's own get zero bytes.
struct gpu_payload {
  void const* entries;
  void* chosen;
  unsigned bytes;  // of an entry: 1, 2, 4, 8 or 16
};

}  // namespace tally::detail
