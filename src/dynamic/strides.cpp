// SPDX-License-Identifier: Apache-2.0
#include "tally/strides.hpp"

#include <algorithm>
#include <cstdlib>

namespace tally::detail {

dimensions joined(std::span<dimension const> all) {
  dimensions some;
  for (auto const& d : all) {
    if (d.extent == 1) continue;
    auto const follows = [&](dimension const& outer) {
      for (std::size_t o = 0; o < d.by.size(); ++o)
        if (outer.by[o] != d.by[o] * std::int64_t(d.extent)) return false;
      return true;
    };
    if (!some.empty() && follows(some.back()))
      some.back() = {some.back().extent * d.extent, d.by};
    else
      some.push_back(d);
  }
  return some;
}

dimensions by_distance(dimensions all) {
  std::ranges::stable_sort(all, [](dimension const& a, dimension const& b) {
    return std::abs(a.by[0]) > std::abs(b.by[0]);
  });
  return all;
}

}  // namespace tally::detail
