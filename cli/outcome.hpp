// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tally::cli {

// How a command ends: its exit status, and what is told of a failure, if anything.
struct outcome {
  int status = 0;
  std::string message = {};
};

// What comes of f: whatever it throws is told.
outcome outcome_of(std::function<void()> const& f);

// Tells it, and returns the exit status.
int tell(outcome const& how);

}  // namespace tally::cli
