// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clocks.hpp"

namespace simt {

// A value that was overwritten, and what reading it hands on.
struct old_value {
  std::array<unsigned char, 16> bytes;
  unsigned size;
  released flag;
};

// What relaxed loads may still find after an atomic write: the value before it, for lanes that
// know neither of the write nor of a lane that has seen it.
class old_values {
 public:
  void overwrite(void const* address, unsigned size, flags const&, lane_id writer, moment when);
  old_value const* find(std::uintptr_t address, unsigned size, lane_knowledge const&) const;
  void see_newest(std::uintptr_t address, lane_knowledge const&);
  void forget(std::uintptr_t address) { last_.erase(address); }
  void forget() { last_.clear(); }

 private:
  struct write {
    old_value before;
    std::vector<std::pair<lane_id, moment>> seen_by;  // the writer first
  };
  static constexpr std::size_t many = 32;  // have seen it: now all do

  std::unordered_map<std::uintptr_t, write> last_;
};

}  // namespace simt
