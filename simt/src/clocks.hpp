// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/atomics.hpp"

// What happens before what: vector clocks, made small by the shape of a launch.
//
// Time is one counter of the launch. An access is stamped with its lane and the time; it happens
// before lane L's next step if L knows its lane up to that time. Barriers, and releases that are
// acquired, pass knowledge on; shuffles and votes do not.
namespace simt {

using moment = std::uint64_t;
using lane_id = std::uint32_t;  // (number of the block << shift) + index in the block

// Of lanes, and of all lanes of a block, up to a time; sorted.
struct knowledge {
  using entry = std::pair<std::uint32_t, moment>;
  std::vector<entry> blocks, lanes;
};
using known = std::shared_ptr<knowledge const>;

known join(known const&, known const&);

// What a write of a flag hands on: to everyone, and to lanes of the block that wrote.
struct released {
  known to_device, to_block;
  std::uint32_t block = 0;
};
using flags = std::unordered_map<std::uintptr_t, released>;

// Shared by the lanes of a block: all of them are known up to `barrier`.
struct block_clock {
  std::uint32_t number;
  moment barrier = 0;
};

class lane_knowledge {
 public:
  lane_knowledge() = default;
  lane_knowledge(lane_id self, block_clock const& b) : self_(self), block_(&b) {}

  lane_id self() const { return self_; }
  bool knows(lane_id other, moment when) const;

  void fence(int order, int scope);
  void read_flag(flags const&, std::uintptr_t address, int order, int scope);
  void receive(released const&, int order, int scope);
  void write_flag(flags&, std::uintptr_t address, int order, int scope, bool is_update);

  // Barriers of a block, and of lanes of one warp.
  static void meet_block(block_clock&, std::vector<lane_knowledge*> const&);
  static void meet_warp(std::vector<lane_knowledge*> const&);

 private:
  known snapshot() const;
  void learn(known const&);

  lane_id self_ = 0;
  block_clock const* block_ = nullptr;
  using of_warp = std::array<moment, 32>;

  std::shared_ptr<of_warp const> warp_;  // of the lanes of its own warp; null: nothing
  known others_;                         // beyond its block's last barrier and its warp
  known last_learned_;
  known fenced_device_, fenced_block_;    // what a relaxed write hands on
  known pending_device_, pending_block_;  // what the next fence learns
};

inline bool is_acquire(int order) {
  return order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_CONSUME ||
         order >= __NV_ATOMIC_ACQ_REL;
}
inline bool is_release(int order) { return order >= __NV_ATOMIC_RELEASE; }
inline bool is_beyond_block(int scope) { return scope > __NV_THREAD_SCOPE_BLOCK; }

inline moment time_now = 1;
inline moment now() { return time_now; }
inline moment tick() { return time_now++; }  // what was now is past

inline unsigned lane_bits = 5;  // of the launch: how wide an index in a block is

}  // namespace simt
