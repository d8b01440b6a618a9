// SPDX-License-Identifier: Apache-2.0
//
// Elements as an input gives them, some of which may be missing: their indices, ascending. No type
// of integers has a value for that, so zeros stand in their place; a floating one has NaN, and none
// is missing.
#pragma once

#include <cstddef>
#include <span>

#include "tally/dynamic.hpp"

namespace tally::cli {

struct masked_array {
  any_array all;
  std::span<std::size_t const> missing = {};
};

// Calls take(bytes) with the elements that are there, neighbours together.
template <class F>
void for_present(masked_array const& x, F&& take) {
  auto const size = size_of(x.all.type);
  std::span const bytes(static_cast<std::byte const*>(x.all.data), std::size_t(x.all.size) * size);
  std::size_t begin = 0;
  for (auto const i : x.missing) {
    if (begin < i) take(bytes.subspan(begin * size, (i - begin) * size));
    begin = i + 1;
  }
  if (begin < x.all.size) take(bytes.subspan(begin * size));
}

}  // namespace tally::cli
