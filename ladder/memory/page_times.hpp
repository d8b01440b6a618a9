// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ladder::memory {

// How long something took, in microseconds: by the host's clock, from before it was enqueued until
// the host had waited for it, and between two events around it.
struct step_time {
  std::string what;
  double host_us, event_us;
};

// A table, a line a step.
std::vector<std::string> draw_step_times(std::vector<step_time> const& steps);

}  // namespace ladder::memory
