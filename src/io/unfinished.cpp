// SPDX-License-Identifier: Apache-2.0
#include "unfinished.hpp"

#include <unistd.h>

#include <atomic>
#include <climits>

#include "tally/io/output.hpp"

namespace tally::io {
namespace {

enum class state { free, taken, remembered };

// Who moves `now` away from `remembered` owns the path; only whole paths are ever remembered.
struct entry {
  std::atomic<state> now = state::free;
  char path[PATH_MAX];

  bool move(state from, state to) { return now.compare_exchange_strong(from, to); }
};
static_assert(std::atomic<state>::is_always_lock_free);  // all that a signal handler may use

constinit entry entries[16];

}  // namespace

int remember_unfinished(std::string const& path) noexcept {
  if (path.size() >= PATH_MAX) return -1;
  for (auto& e : entries) {
    if (!e.move(state::free, state::taken)) continue;
    path.copy(e.path, path.size());
    e.path[path.size()] = '\0';
    e.now = state::remembered;
    return int(&e - entries);
  }
  return -1;
}

void forget_unfinished(int entry) noexcept {
  if (entry >= 0) entries[entry].move(state::remembered, state::free);
}

void remove_unfinished_outputs() noexcept {
  for (auto& e : entries)
    if (e.move(state::remembered, state::taken)) ::unlink(e.path);
}

}  // namespace tally::io
