// SPDX-License-Identifier: Apache-2.0
//
// Rungs that this program was built without, because only a GPU can run them: their files can be
// told of.
#pragma once

#include <string>
#include <vector>

namespace ladder {

struct rung_elsewhere {
  std::string id, file;
  std::string ladder() const { return id.substr(0, id.find('/')); }
};

// By id.
std::vector<rung_elsewhere> const& rungs_elsewhere();

}  // namespace ladder
