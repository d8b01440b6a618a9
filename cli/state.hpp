// SPDX-License-Identifier: Apache-2.0
//
// Reductions in files: all that is needed to go on with them elsewhere, or later.
#pragma once

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "reduction.hpp"

namespace tally::cli {

// What is known of where in the whole array a state's elements are.
enum class placement : std::uint8_t {
  unknown,    // nobody said at which index it begins
  run,        // it begins at the index first(), and each follows the one before it
  scattered,  // the first of them is there; between the others there may be some that it has not
};

struct saved_state {
  std::string file;
  reduction_settings settings;
  placement place;
  reduction value;
  std::uint64_t bytes;
};

void save_state(std::string const& file, reduction_settings const& settings, placement place,
                reduction const& value);
// Of one input: whose first index somebody said, or nobody.
void save_state(arguments const& options, reduction_settings const& settings,
                reduction const& value);
// Throws tally::error, naming the file, if it is not a whole and undamaged state.
saved_state load_state(std::string const& file);

}  // namespace tally::cli
