// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace tally {

// Everything that host code throws: `what()` names the argument at fault and its value.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tally
