// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "copies.hpp"
#include "counting.hpp"
#include "fibers.hpp"
#include "late_writes.hpp"
#include "simt/device.hpp"
#include "simt/machine.hpp"
#include "simt/runtime.hpp"
#include "spaces.hpp"

// A launch while it runs: its resident blocks, their warps and lanes. Everything happens on the
// thread that launches: each lane is a fiber, one of them runs, and the shared variables hold the
// contents of the running lane's block.
namespace simt {

struct block;
struct warp;

enum class lane_state { ready, at_block_barrier, meeting, awaiting_phase, exited, withheld };

struct lane {
  block* home;
  warp* group;
  unsigned index;  // in the block; x counts fastest
  uint3 thread;
  std::size_t stack;
  context suspended = {};
  lane_state state = {};
  void* pc = {};                      // of the last call that could wait or yield
  offer offered = {};                 // while meeting
  word received = {};                 // from the meeting
  std::uint64_t const* awaited = {};  // the barrier whose phase is to end
  barrier barrier_kind = {};
  int predicate = {};
  std::string withheld = {};  // why the lane goes no further: stop_later
  long long steps = {};
  unsigned decisions = {};
  lane_knowledge knowledge = {};
  pending_copies copies = {}, stores = {};  // to shared memory, and in bulk from there
  atomic_write proposed = {};
  std::array<std::uintptr_t, 8> looked_at = {};  // the last places that atomics read
  unsigned looks = 0;                            // places before

  unsigned bit() const { return 1u << index % 32; }
  // Whether it looks at one of these again, as who waits for something there.
  bool looks_again(std::uintptr_t address) {
    if (std::ranges::find(looked_at, address) != looked_at.end()) return true;
    looked_at[looks++ % looked_at.size()] = address;
    return false;
  }
};

struct warp {
  lane* first;
  unsigned existing, exited;  // lanes, as masks
  unsigned meeting;           // in a collective call, these
  unsigned asking;            // of them who is active
  std::size_t polled;         // when one of them last did: scheduler::progress
  warp_requests requests;
};

struct block {
  launch_request const* request;
  std::size_t place;     // among the resident ones
  std::uint32_t number;  // linear, x fastest
  uint3 index;
  std::vector<lane> lanes;
  std::vector<warp> warps;
  std::vector<lane*> ready;
  unsigned exited, at_barrier;
  block_clock clock;
  late_writes late;
  std::vector<barrier_copies> copies;
  device_memory* global;
  shared_memory* shared;
};

// The lane that runs now; null while the machine chooses one.
extern thread_local constinit lane* running [[gnu::tls_model("initial-exec")]];

// Whether lanes' own code runs, whose accesses count. The machine's functions and those of the
// kernels' sources share inline functions of the standard library, so it must be said.
extern thread_local constinit bool watching [[gnu::tls_model("initial-exec")]];

class inside_machine {
 public:
  inside_machine() { watching = false; }
  ~inside_machine() { watching = true; }
};

inline uint3 unflatten(std::size_t i, uint3 size) {
  return {unsigned(i % size.x), unsigned(i / size.x % size.y), unsigned(i / size.x / size.y)};
}

inline std::size_t volume(uint3 v) { return std::size_t(v.x) * v.y * v.z; }

inline position to_position(uint3 v) { return {v.x, v.y, v.z}; }

// Runs a launch that a device could run; false: the machine cannot number so many lanes.
bool run(launch_request const&);
// What the first launch of a process takes long for.
void warm_up();

// Lets other lanes run. A poll is a look at memory that another lane may be about to change.
void yield(bool is_poll);
// Whether a load finds the old value this time.
bool finds_old();
// Whether an atomic write that nobody orders comes late this time.
bool is_late();
// Leaves the running lane until someone has made it ready.
void suspend();
void make_ready(lane&);
// Lets one of these lanes of the warp run, if any is ready.
bool let_run(warp const&, unsigned lanes);
// The launch got nearer to its end, or memory changed that lanes may be polling.
void note_progress();

// Ends the launch with a finding, its first: at once, or when the running lane leaves.
[[noreturn]] void stop(std::string kind, std::string text, void* pc);
void record(lane const&, std::string kind, std::string text, void* pc);
void record(lane_id, std::string kind, std::string text, void* pc);

// Stops the running lane only, whose read of uninitialised memory may prove to be a race: the
// launch goes on until it finds one, or can go no further.
[[noreturn]] void stop_later(std::string text, void* pc);

// What can be said when no lane of the block can run any more.
void diagnose_stuck(block const&);
bool diagnose_withheld(block const&);
// The other lanes of the warp may have waited only for this one.
void after_exit(lane&);

}  // namespace simt
