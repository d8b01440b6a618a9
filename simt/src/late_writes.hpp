// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "clocks.hpp"
#include "simt/atomics.hpp"

namespace simt {

struct lane;
struct space;

// An atomic write that was checked, and can be made.
struct atomic_write {
  std::uintptr_t address;
  unsigned size;
  atomic_kind kind;
  write_step step;
  alignas(16) std::array<unsigned char, 16> operand;
  int order, scope;
  bool had_value, is_late;
  lane* by;
  space* where;  // null: local memory
  moment when;
  std::uint32_t site;
};
void make(atomic_write const&);

// Atomic writes of a block that others do not see yet. The block's own lanes do: whoever touches
// the place makes the write first. So do fences and releases, for all that is ordered before them.
class late_writes {
 public:
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  void add(atomic_write const& w) {
    begin_ = empty() ? w.address : std::min(begin_, w.address);
    end_ = empty() ? w.address + w.size : std::max(end_, w.address + w.size);
    all_.push_back(w);
  }
  // In the order in which they were added.
  template <class Predicate>
  void make_if(Predicate which) {
    std::erase_if(all_, [&](atomic_write const& w) {
      bool const now = which(w);
      if (now) make(w);
      return now;
    });
  }
  void make_all() {
    make_if([](auto&) { return true; });
  }
  void make_one(std::size_t i) {
    make(all_[i]);
    all_.erase(all_.begin() + std::ptrdiff_t(i));
  }
  void before_access(std::uintptr_t address, std::size_t bytes) {
    auto const meets = [=](std::uintptr_t begin, std::uintptr_t end) {
      return address < end && begin < address + bytes;
    };
    if (empty() || !meets(begin_, end_)) return;
    make_if([&](atomic_write const& w) { return meets(w.address, w.address + w.size); });
  }

 private:
  std::vector<atomic_write> all_;
  std::uintptr_t begin_ = 0, end_ = 0;  // they lie between these
};

}  // namespace simt
