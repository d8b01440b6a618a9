// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <tuple>

#include "random_numbers.hpp"
#include "simt/schedule.hpp"

namespace simt {

struct lane;

// The schedule that launches follow or write, if any.
class directions {
 public:
  explicit directions(schedule s, random_numbers random = random_numbers(0), unsigned one_in = 0);

  schedule const& all() const { return all_; }
  void begin_launch() { ++launch_; }

  // Whether it happens now, to the lane that runs.
  bool happens(lane&, choice::kind);
  // Which lane runs after `last`, or null: that is usual. lane_at(n) gives the n-th of `count` that
  // could; find(block, lane) one of them, or null.
  template <class Find, class LaneAt>
  lane* next(lane& last, lane* usual, std::size_t count, Find find, LaneAt lane_at) {
    choice now = decision_of(last, choice::run);
    if (one_in_ == 0) {
      choice const* const said = find_choice(now);
      lane* const other = said ? find(said->next_block, said->next_lane) : nullptr;
      return other ? other : usual;
    }
    if (random_(one_in_) != 0) return usual;
    lane* const other = lane_at(random_(count));
    if (other != usual) write(now, *other);
    return other;
  }

 private:
  static auto key_of(choice const& c) { return std::tuple(c.launch, c.block, c.lane, c.decision); }
  choice decision_of(lane&, choice::kind) const;
  choice const* find_choice(choice const&) const;
  void write(choice, lane const& next);

  schedule all_;
  std::map<std::tuple<unsigned, std::uint32_t, std::uint32_t, unsigned>, choice> by_decision_;
  random_numbers random_;
  unsigned one_in_;  // 0: nothing is left to chance
  unsigned launch_ = ~0u;
};

directions* given_directions();  // null: none

}  // namespace simt
