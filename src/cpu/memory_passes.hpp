// SPDX-License-Identifier: Apache-2.0
//
// Memory read or copied once, in each of the ways that may be the fastest on a machine.
#pragma once

#include <cstddef>

namespace tally::detail {

inline constexpr int read_ways = 4, copy_ways = 4;

void read_once(int way, int threads, std::byte const* from, std::size_t bytes);
void copy_once(int way, int threads, std::byte const* from, std::byte* to, std::size_t bytes);

}  // namespace tally::detail
