// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "directions.hpp"
#include "execution.hpp"
#include "random_numbers.hpp"

namespace simt {

// Of one launch: which blocks are resident, which lane runs next, when late writes arrive, and
// whether it hangs.
class scheduler {
 public:
  explicit scheduler(launch_request const& request);
  void run();         // to the end, or to a finding
  void leave_lane();  // returns when it is chosen again
  bool happens(choice::kind what, unsigned once_in);
  void let_some_write_arrive();
  void look(void* pc);  // from the watchdog

  launch_request const& request;
  random_numbers random;
  context host = nullptr;
  bool stopped = false, leave_block = false;
  lane* preferred = nullptr;            // to run next
  std::size_t polls = 0, switches = 0;  // since there was progress
  std::size_t turns = 0;                // of lanes, ever
  std::size_t progress = 1;             // how often there was some
  unsigned yields = 0;  // of the running lane, since it was chosen or there was progress
  directions* const directed = given_directions();
  bool const delays;

 private:
  std::unique_ptr<block> place_for_block(std::size_t place) const;
  void start(block&, std::size_t number);
  lane& choose();
  lane& choose_anywhere();
  lane& choose_as_directed();
  lane& choose_usual();
  lane& take(lane&);
  bool let_all_writes_arrive();
  void enter(block&);
  void retire(block&);
  bool hangs() const;
  void report_hang();

  std::vector<std::uint32_t> order_;
  std::size_t started_ = 0;
  std::vector<std::unique_ptr<block>> resident_;
  std::vector<std::unique_ptr<block>> gone_;  // whose last writes are still to come
  block* current_ = nullptr;                  // whose shared variables are in place
  lane* last_ = nullptr;                      // that ran; null: its block is gone
  unsigned patience_;                         // yields that a late write takes, on average
  std::size_t turns_seen_ = 0;
  long long steps_seen_ = 0;
  unsigned looks_ = 0;  // since the running lane's turn began
};

}  // namespace simt
