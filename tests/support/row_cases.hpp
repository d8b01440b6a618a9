// SPDX-License-Identifier: Apache-2.0
//
// Rows of every layout over one array, for tests that compare where they are reduced.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "tally/rows.hpp"

namespace support {

// Rows over the first `size` elements, counted from the one at `origin`; the memory of offsets is
// beside it.
struct row_case {
  tally::row_layout rows;
  std::vector<std::int64_t> offsets;
  std::uint64_t size, origin = 0;
};

inline row_case segments_over(std::uint64_t size, std::uint64_t longest, std::mt19937_64& random) {
  row_case c{{}, {0}, size};
  while (std::uint64_t(c.offsets.back()) < size) {
    auto const n = random() % 4 ? random() % (longest + 1) : 0;
    c.offsets.push_back(std::int64_t(std::min(size, std::uint64_t(c.offsets.back()) + n)));
  }
  c.rows = {.count = c.offsets.size() - 1, .length = longest};
  return c;
}
// Where the offsets are of `c`, or a copy of them elsewhere.
inline tally::row_layout with_offsets(row_case const& c, std::int64_t const* offsets) {
  auto rows = c.rows;
  if (!c.offsets.empty()) rows.starts = rows.lengths_from = offsets, rows.lengths = offsets + 1;
  return rows;
}

// Rows that follow one another, with gaps, that overlap, that are all the same, backwards, elements
// backwards, columns, of all of a matrix or not, elements with gaps, lines along the middle axis,
// and segments.
inline std::vector<row_case> row_cases(std::uint64_t count, std::uint64_t length,
                                       std::mt19937_64& random) {
  auto const n = count * length;
  auto const stride = std::int64_t(length);
  std::vector<row_case> all;
  auto const add = [&](tally::row_layout const& rows, std::uint64_t size,
                       std::uint64_t origin = 0) { all.push_back({rows, {}, size, origin}); };
  add({.count = count, .length = length, .stride = stride}, n);
  add({.count = count, .length = length, .stride = stride + 3}, n + 3 * count);
  add({.count = count, .length = length, .stride = 1}, count + length);
  add({.count = count, .length = length, .stride = 0}, length);
  add({.count = count, .length = length, .stride = -stride}, n, (count - 1) * length);
  add({.count = count, .length = length, .stride = stride, .step = -1}, n, length ? length - 1 : 0);
  add({.count = count, .length = length, .stride = 1, .step = std::int64_t(count)}, n);
  auto const wide = std::int64_t(count / 16 * 16 + 16);  // whole vectors, not all of them columns'
  add({.count = count, .length = length, .stride = 1, .step = wide}, std::uint64_t(wide) * length);
  add({.count = count, .length = length, .stride = stride * 2, .step = 2}, 2 * n);
  std::uint64_t const inner = 1 + count / 3, outer = 3;
  add({.count = inner * outer,
       .length = length,
       .stride = 1,
       .step = std::int64_t(inner),
       .inner = inner,
       .outer = std::int64_t(inner * length)},
      inner * outer * length);
  all.push_back(segments_over(n, length, random));
  return all;
}

}  // namespace support
