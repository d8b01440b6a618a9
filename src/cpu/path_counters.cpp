// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/path_counters.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace tally::detail {
namespace {
std::array<std::atomic<std::uint64_t>, std::size_t(path::count_)> counters;
}

void count_path(path which, std::uint64_t by) {
  counters[std::size_t(which)].fetch_add(by, std::memory_order_relaxed);
}

std::uint64_t path_count(path which) {
  return counters[std::size_t(which)].load(std::memory_order_relaxed);
}

}  // namespace tally::detail
