// SPDX-License-Identifier: Apache-2.0
//
// Ranks' slices of one array, whose types are known at run time.
#pragma once

#include <string>

#include "tally/dtype.hpp"
#include "tally/error.hpp"
#include "tally/nodes/told.hpp"

namespace tally::detail {

// Throws on all unless all have elements of that type.
inline void require_one_type(communicator& ranks, char const* call, dtype type) {
  auto const told =
      numbers_of_ranks(ranks, [&] { return std::vector<std::uint64_t>{std::uint64_t(type)}; });
  for (std::size_t r = 1; r < told.size(); ++r)
    if (told[r] != told[0])
      throw error(std::string(call) + ": in is of " + std::string(name(dtype(told[r][0]))) +
                  " on rank " + std::to_string(r) + ", and of " +
                  std::string(name(dtype(told[0][0]))) + " on rank 0");
}

}  // namespace tally::detail
