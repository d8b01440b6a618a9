// SPDX-License-Identifier: Apache-2.0
//
// Rows that ranks share out, some at a time: every rank has a slice of each of them, and rows are
// put together by the ranks in shares.
#pragma once

#include <algorithm>
#include <string>

#include "tally/nodes/told.hpp"
#include "tally/row_inputs.hpp"

namespace tally::detail {

// The rows [first, first + count), where these are within one group of a layout's `inner`, or begin
// one.
template <class T>
rows<T> some_rows(rows<T> const& in, std::uint64_t first, std::uint64_t count) {
  rows<T> part = in;
  part.count = count;
  if (in.inner) {
    part.data +=
        std::int64_t(first / in.inner) * in.outer + std::int64_t(first % in.inner) * in.stride;
  } else {
    part.data += std::int64_t(first) * in.stride;
  }
  for (auto const** x : {&part.starts, &part.lengths, &part.lengths_from})
    if (*x) *x += first;
  return part;
}
template <class A, class B>
zipped_rows<A, B> some_rows(zipped_rows<A, B> const& in, std::uint64_t first, std::uint64_t count) {
  return {some_rows(in.first, first, count), some_rows(in.second, first, count)};
}
template <class In, class F>
transformed_rows<In, F> some_rows(transformed_rows<In, F> const& in, std::uint64_t first,
                                  std::uint64_t count) {
  return {some_rows(in.in, first, count), in.f};
}

// Calls f(some of the rows, the first one's number) for all of them, so many at a time on all ranks
// that what these tell one another takes little memory.
template <readable_rows R, class F>
void for_row_parts(communicator& ranks, R const& in, F const& f) {
  std::uint64_t const count = in.layout().count;
  std::uint64_t const at_once = std::max<std::uint64_t>(1 << 16, ranks.size()) / ranks.size();
  for (std::uint64_t first = 0; first < count;) {
    std::uint64_t n = std::min(at_once, count - first);
    in.for_memory([&](row_layout const& x) {
      if (x.inner && first % x.inner) n = std::min(n, x.inner - first % x.inner);
    });
    f(some_rows(in, first, n), first);
    first += n;
  }
}

// Throws on all ranks unless each has as many rows, and require() throws nothing.
template <readable_rows R, class F>
void require_same_rows(communicator& ranks, R const& in, F const& require) {
  auto const counts = numbers_of_ranks(ranks, [&] {
    require();
    return std::vector<std::uint64_t>{in.layout().count};
  });
  for (std::size_t r = 1; r < counts.size(); ++r)
    if (counts[r] != counts[0])
      throw error("reduce: rank 0 has " + std::to_string(counts[0][0]) + " rows, rank " +
                  std::to_string(r) + " has " + std::to_string(counts[r][0]));
}

// The s-th of as many shares of n rows as there are ranks.
struct share_of_rows {
  std::uint64_t begin, end;

  share_of_rows(std::uint64_t n, int ranks, int s)
      : begin(std::min(n, size(n, ranks) * std::uint64_t(s))),
        end(std::min(n, begin + size(n, ranks))) {}
  // All but the last ones have so many.
  static std::uint64_t size(std::uint64_t n, int ranks) {
    return (n + std::uint64_t(ranks) - 1) / std::uint64_t(ranks);
  }
};

}  // namespace tally::detail
