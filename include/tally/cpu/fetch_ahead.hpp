// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tally/types.hpp"

namespace tally::detail {

// For who reads `bytes` from here on, and then what is behind them. A processor that sees line
// after line being read fetches the next ones, but not beyond a page of 4 KiB: so it is shown the
// first lines of the place a page ahead, from which it goes on by itself. (More lines, or those of
// two pages ahead, were of less use; docs/performance.md has figures.)
TALLY_CPU_FN void fetch_ahead(void const* from, std::size_t bytes) {
  constexpr std::size_t page = 4096, line = 64, lines = 8;
  if (bytes < lines * line) return;  // the work of a moment
  auto const* const ahead = static_cast<char const*>(from) + page;
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(ahead + i * line, 0, 2);
}

}  // namespace tally::detail
