// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tally/types.hpp"

namespace tally::detail {

// Prefetches what a loop that reads one line after another will read 2 KiB later. It is to be
// called at each step, which reads `bytes`. Processors fetch ahead by themselves, but not beyond a
// page, and the later the more a loop computes. (A page's lines at once, or other distances, were
// of less use; docs/performance.md has figures.)
TALLY_CPU_FN void fetch_ahead(void const* from, std::size_t bytes) {
  constexpr std::size_t distance = 2048, line = 64;
  auto const* const ahead = static_cast<char const*>(from) + distance;
  for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(ahead + i);
}

}  // namespace tally::detail
