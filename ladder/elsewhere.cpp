// SPDX-License-Identifier: Apache-2.0
#include "ladder/elsewhere.hpp"

#include <algorithm>

#include "ladder/rung.hpp"
#include "ladder/story.hpp"

namespace ladder {

namespace {

std::vector<rung_elsewhere> all() {
  std::vector<rung_elsewhere> found;
  for (auto const& one : all_told())
    if (!std::ranges::count(rungs(), one.file, &rung::file))
      found.push_back({id_of_file(one.file), std::string(one.file)});
  std::ranges::sort(found, {}, &rung_elsewhere::id);
  return found;
}

}  // namespace

std::vector<rung_elsewhere> const& rungs_elsewhere() {
  static auto const found = all();
  return found;
}

}  // namespace ladder
