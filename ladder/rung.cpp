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

std::string id_of_file(std::string_view file) {
  auto const name = file.rfind('/'), folder = file.rfind('/', name - 1) + 1;
  std::string ladder(file.substr(folder, name - folder));
  std::ranges::replace(ladder, '_', '-');
  return ladder.append(file.substr(name, file.rfind('.') - name));
}

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
