// SPDX-License-Identifier: Apache-2.0
//
// How many elements ranks have.
#pragma once

#include "tally/nodes/all_gather.hpp"
#include "tally/serial.hpp"

namespace tally::detail {

// This rank, those before it, and those behind it.
struct counts_here {
  std::uint64_t own, before, behind;
};

// f() says how many this one has, or throws, and then all do.
template <class F>
counts_here counts_of_ranks(communicator& ranks, F const& f) {
  auto const told = all_gather_result(ranks, [&] {
    byte_writer out;
    out.put(std::uint64_t(f()));
    return out.take();
  });
  counts_here all{};
  auto const own = std::size_t(ranks.rank());
  for (std::size_t r = 0; r < told.size(); ++r)
    (r < own    ? all.before
     : r == own ? all.own
                : all.behind) += byte_reader(told[r]).get<std::uint64_t>();
  return all;
}

}  // namespace tally::detail
