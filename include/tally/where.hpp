// SPDX-License-Identifier: Apache-2.0
//
// Where a call runs, and what it does about NaNs.
#pragma once

namespace tally {

// This machine's cores. Results do not depend on the number of threads.
struct cpu {
  int threads = 0;  // at most so many; 0: every core that the process may use
};

// What a NaN in the input does: poison the answer, or count as absent.
enum class nan_policy : unsigned char { propagate, skip };
inline constexpr nan_policy propagate = nan_policy::propagate;
inline constexpr nan_policy skip = nan_policy::skip;

struct reduce_options {
  nan_policy nan = propagate;
};

}  // namespace tally
