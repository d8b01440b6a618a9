// SPDX-License-Identifier: Apache-2.0
//
// Reductions in files: all that is needed to go on with them elsewhere, or later.
#pragma once

#include <optional>
#include <string>

#include "reduction.hpp"

namespace tally::cli {

struct saved_state {
  std::string file;
  reduction_settings settings;
  bool placed;  // whether somebody said at which index it begins
  any_reducer value;
  std::uint64_t bytes;
};

void save_state(std::string const& file, reduction_settings const& settings, bool placed,
                any_reducer const& value);
// Throws tally::error, naming the file, if it is not a whole and undamaged state.
saved_state load_state(std::string const& file);

}  // namespace tally::cli
