// SPDX-License-Identifier: Apache-2.0
//
// How many elements ranks have.
#pragma once

#include "tally/nodes/told.hpp"

namespace tally::detail {

// This rank, those before it, and those behind it.
struct counts_here {
  std::uint64_t own, before, behind;
};

// f() says how many this one has, or throws, and then all do.
template <class F>
counts_here counts_of_ranks(communicator& ranks, F const& f) {
  auto const told = numbers_of_ranks(ranks, [&] { return std::vector<std::uint64_t>{f()}; });
  counts_here all{};
  auto const own = std::size_t(ranks.rank());
  for (std::size_t r = 0; r < told.size(); ++r)
    (r < own ? all.before : r == own ? all.own : all.behind) += told[r][0];
  return all;
}

}  // namespace tally::detail
