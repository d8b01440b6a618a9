// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <bit>
#include <mutex>

#include "findings.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"
#include "watchdog.hpp"

// What lanes, and what the machine does for them, ask of the launch that runs.
namespace simt {

thread_local constinit lane* running = nullptr;
thread_local constinit bool watching = false;

namespace {

thread_local scheduler* active = nullptr;

}  // namespace

void lane_main() {
  watching = true;
  active->request.run(active->request.arguments);
  watching = false;
  lane& l = *running;
  l.state = lane_state::exited;
  l.group->exited |= l.bit();
  ++l.home->exited;
  after_exit(l);
  note_progress();
  suspend();
  __builtin_unreachable();
}

void warm_up() {
  kernel_name(nullptr);
  for (std::size_t i = 0; i < 4; ++i) shared_space(i);
  global_memory();
  program_variables();
}

void suspend() { active->leave_lane(); }

void yield(bool is_poll) {
  active->polls += is_poll;
  if (is_poll) running->group->polled = active->progress;
  ++active->yields;
  if (!active->directed) {
    if (active->delays) active->let_some_write_arrive();
    active->leave_block = active->random(64) == 0;
  }
  make_ready(*running);
  suspend();
}

bool finds_old() { return active->happens(choice::old, 4); }

// A block's late writes are few, so that looking for one takes no time.
bool is_late() {
  if (!active->delays || !active->happens(choice::late, 2)) return false;
  auto& late = running->home->late;
  if (late.size() == 32) late.make_one(0);
  active->yields = 0;  // it goes on
  return true;
}

void make_ready(lane& l) {
  l.state = lane_state::ready;
  l.group->meeting &= ~l.bit();
  l.group->asking &= ~l.bit();
  l.home->ready.push_back(&l);
}

bool let_run(warp const& w, unsigned lanes) {
  for (lanes &= w.existing; lanes; lanes &= lanes - 1) {
    lane& l = w.first[std::countr_zero(lanes)];
    if (l.state != lane_state::ready || &l == running) continue;
    active->preferred = &l;
    make_ready(*running);
    suspend();
    return true;
  }
  return false;
}

void note_progress() {
  active->polls = active->switches = active->yields = 0;
  ++active->progress;
}

void record(lane const& l, std::string kind, std::string text, void* pc) {
  record(l.knowledge.self(), std::move(kind), std::move(text), pc);
}

void record(lane_id id, std::string kind, std::string text, void* pc) {
  if (std::exchange(active->stopped, true)) return;
  keep_finding(active->request, id, std::move(kind), std::move(text), pc);
}

void stop(std::string kind, std::string text, void* pc) {
  record(*running, std::move(kind), std::move(text), pc);
  suspend();
  __builtin_unreachable();
}

void stop_later(std::string text, void* pc) {
  running->pc = pc;
  running->withheld = std::move(text);
  running->state = lane_state::withheld;
  suspend();
  __builtin_unreachable();
}

bool diagnose_withheld(block const& b) {
  auto const found = std::ranges::find(b.lanes, lane_state::withheld, &lane::state);
  if (found != b.lanes.end()) record(*found, "uninitialised", found->withheld, found->pc);
  return found != b.lanes.end();
}

bool run(launch_request const& request) {
  unsigned const bits = std::max(5u, unsigned(std::bit_width(volume(request.block) - 1)));
  if (volume(request.grid) > std::size_t(1) << 27 >> bits) return false;  // races.cpp: lane_mask
  static std::mutex one_at_a_time;
  std::lock_guard const lock(one_at_a_time);
  lane_bits = bits;
  begin_counting();
  global_memory().begin_launch();
  program_variables().begin_launch();
  scheduler s(request);
  active = &s;
  {
    watchdog const dog([](void* pc) { active->look(pc); });
    s.run();
  }
  active = nullptr;
  end_counting(kernel_name(request.kernel), to_position(request.grid), to_position(request.block));
  return true;
}

long long lane_clock() {
  inside_machine const inside;
  long long const now = ++running->steps;
  if (now % 8 == 0) yield(false);  // not a poll: time passes
  return now;
}
void pause() {
  inside_machine const inside;
  yield(false);
}
void trap(void* pc) {
  inside_machine const inside;
  stop("trap", "the kernel trapped", pc);
}

}  // namespace simt

uint3 simt_thread_index() { return simt::running->thread; }
uint3 simt_block_index() { return simt::running->home->index; }
dim3 simt_block_size() { return simt::running->home->request->block; }
dim3 simt_grid_size() { return simt::running->home->request->grid; }
