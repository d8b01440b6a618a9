// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/path_counters.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "tally/devices.hpp"

namespace tally {
namespace detail {
namespace {

std::array<std::atomic<std::uint64_t>, std::size_t(path::count_)> counters;

#define X(NAME, TEXT) TEXT,
constexpr char const* texts[] = {TALLY_PATHS(X)};
#undef X

}  // namespace

void count_path(path which, std::uint64_t by) {
  counters[std::size_t(which)].fetch_add(by, std::memory_order_relaxed);
}

std::uint64_t path_count(path which) {
  return counters[std::size_t(which)].load(std::memory_order_relaxed);
}

}  // namespace detail

std::string explain_cpu() {
  std::string all;
  for (std::size_t i = 0; i < detail::counters.size(); ++i) {
    auto const times = detail::counters[i].exchange(0, std::memory_order_relaxed);
    if (times == 0) continue;
    all += (all.empty() ? "" : "; ") + std::to_string(times) + " x " + detail::texts[i];
  }
  return all;
}

}  // namespace tally
