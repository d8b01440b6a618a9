// SPDX-License-Identifier: Apache-2.0
//
// Rows that ranks share out, some at a time: every rank has a slice of each of them, and rows are
// put together by the ranks in shares.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

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

// How long the groups of rows are that layouts have by `inner`, on any rank: parts end where one
// does.
using row_groups = std::vector<std::uint64_t>;

// Throws on all ranks unless each has as many rows, and require() throws nothing. Returns the
// groups that there are on all of them.
template <readable_rows R, class F>
row_groups require_same_rows(communicator& ranks, R const& in, F const& require) {
  auto const told = numbers_of_ranks(ranks, [&] {
    require();
    std::vector<std::uint64_t> mine{in.layout().count};
    in.for_memory([&](row_layout const& x) {
      if (x.inner) mine.push_back(x.inner);
    });
    return mine;
  });
  row_groups groups;
  for (std::size_t r = 0; r < told.size(); ++r) {
    if (told[r][0] != told[0][0])
      throw error("reduce: rank 0 has " + std::to_string(told[0][0]) + " rows, rank " +
                  std::to_string(r) + " has " + std::to_string(told[r][0]));
    groups.insert(groups.end(), told[r].begin() + 1, told[r].end());
  }
  return groups;
}

// Calls f(some of the rows, the first one's number) for all of them, on all ranks for the same
// ones, and so many at a time that what ranks tell one another takes little memory.
template <readable_rows R, class F>
void for_row_parts(communicator& ranks, row_groups const& groups, R const& in, F const& f) {
  std::uint64_t const count = in.layout().count;
  std::uint64_t const at_once = std::max<std::uint64_t>(1 << 16, ranks.size()) / ranks.size();
  for (std::uint64_t first = 0; first < count;) {
    std::uint64_t n = std::min(at_once, count - first);
    for (auto const group : groups)
      if (first % group) n = std::min(n, group - first % group);
    f(some_rows(in, first, n), first);
    first += n;
  }
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
