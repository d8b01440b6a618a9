// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "clocks.hpp"

namespace simt {

// Which atomic updates without a result ("reductions") words had, as far as what replaces the
// word's value must still be ordered after them. What orders a reduction before another access:
// clocks, or that the lane, or one it knows, has found its effect in the word.
//
// A store throws a value away, with what was added in time: it must be ordered after all reductions
// before it. So must an exchange whose result is used, but where somebody takes the word's value
// later who is ordered after both: what comes in late is not lost then.
class reductions {
 public:
  struct event {
    lane_id lane;
    std::uint32_t site;
    moment when;
  };
  struct loss {
    event reduction, exchange;
  };

  // One that is late is in the word when arrive() is called.
  void add(std::uintptr_t address, lane_knowledge const&, std::uint32_t site, bool is_late);
  void arrive(std::uintptr_t address, lane_id, moment when);
  // The value was taken: by a load or an update.
  void see(std::uintptr_t address, lane_knowledge const&);
  // The value is about to be replaced. A reduction that this is not ordered after, or null.
  event const* find_unordered(std::uintptr_t address, lane_knowledge const&);
  // It was; `loses`, if by an exchange that may have come too early.
  void replace(std::uintptr_t address, lane_knowledge const&, bool loses, std::uint32_t site);

  bool is_empty() const { return used_ == 0; }  // then nothing above has an effect, but for add()
  bool has_losses() const { return !losses_.empty(); }
  loss const* find_loss() const;  // the first one that nobody took later; null: none
  void forget();

 private:
  struct reduction : event {
    unsigned version;  // of the word, since when it is in there; ~0: not yet
  };
  struct word {
    std::uintptr_t address;
    std::uint32_t generation = 0;
    unsigned version, count;
    std::array<reduction, 4> added;  // the latest: of different lanes
  };
  struct sight : event {
    unsigned version;
  };
  static constexpr std::size_t most_sights = 64;  // of a word: the latest

  word* find(std::uintptr_t address);
  word& find_or_add(std::uintptr_t address);
  void grow();

  std::vector<word> words_{64};  // by a hash of the address; of this generation
  std::uint32_t generation_ = 1;
  std::size_t used_ = 0;
  std::unordered_map<std::uintptr_t, std::vector<sight>> seen_;
  std::unordered_map<std::uintptr_t, loss> losses_;  // the latest of a word
};

}  // namespace simt
