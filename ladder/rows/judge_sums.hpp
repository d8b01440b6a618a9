// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "ladder/rung.hpp"

namespace ladder::rows {

// What one result is the sum of: so many numbers, `step` apart.
struct summands {
  std::size_t begin, count, step = 1;
};

// Each result in `out` as judge_reduction() judges one, the i-th to be the sum of of(i).
judgement judge_sums(outcome const& run, std::function<summands(std::size_t i)> const& of);

}  // namespace ladder::rows
