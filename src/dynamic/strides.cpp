// SPDX-License-Identifier: Apache-2.0
#include "tally/strides.hpp"

#include <algorithm>
#include <cstdlib>

namespace tally::detail {

dimensions joined(std::span<dimension const> all) {
  dimensions some;
  some.reserve(all.size());
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

// By insertion: there are few, and a stable sort asks for memory.
dimensions by_distance(dimensions all) {
  auto const farther = [](dimension const& a, dimension const& b) {
    return std::abs(a.by[0]) > std::abs(b.by[0]);
  };
  for (auto d = all.begin(); d != all.end(); ++d)
    std::rotate(std::upper_bound(all.begin(), d, *d, farther), d, d + 1);
  return all;
}

}  // namespace tally::detail
