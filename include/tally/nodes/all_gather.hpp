// SPDX-License-Identifier: Apache-2.0
//
// What each rank tells all others.
#pragma once

#include <cstddef>
#include <exception>
#include <vector>

#include "tally/communicator.hpp"

namespace tally::detail {

using bytes_of_ranks = std::vector<std::vector<std::byte>>;

// Every rank's bytes, as many as each has, in the order of ranks. If a rank failed instead, all
// throw: that rank what it failed by, or of no memory a tally::error, the others a tally::error
// that names it and tells why.
bytes_of_ranks all_gather_bytes(communicator& ranks, std::vector<std::byte> const& mine,
                                std::exception_ptr failed = nullptr);

// The same of the bytes that f() returns; if it throws, this rank has failed by that.
template <class F>
bytes_of_ranks all_gather_result(communicator& ranks, F const& f) {
  std::vector<std::byte> mine;
  std::exception_ptr failed;
  try {
    mine = f();
  } catch (...) {
    failed = std::current_exception();
  }
  return all_gather_bytes(ranks, mine, failed);
}

}  // namespace tally::detail

namespace tally {

using detail::all_gather_bytes;
using detail::all_gather_result;
using detail::bytes_of_ranks;

}  // namespace tally
