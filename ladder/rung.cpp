// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung.hpp"

#include <algorithm>
#include <utility>

namespace ladder {

static std::vector<rung>& all() {
  static std::vector<rung> made;
  return made;
}

std::vector<rung> const& rungs() { return all(); }

registered::registered(rung made) {
  if (made.file.empty()) {
    made.file = "ladder/" + made.id + ".cu";
    std::ranges::replace(made.file, '-', '_');
  }
  auto const place = std::ranges::upper_bound(all(), made.id, {}, &rung::id);
  all().insert(place, std::move(made));
}

registered::registered(std::vector<rung> made) {
  for (rung& one : made) registered{std::move(one)};
}

}  // namespace ladder
