// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>

#include "execution.hpp"
#include "findings.hpp"
#include "symbols.hpp"
#include "watchdog.hpp"

namespace simt {

thread_local constinit lane* running = nullptr;
thread_local constinit bool watching = false;

namespace {

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  // Below n.
  std::size_t operator()(std::size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return std::size_t((unsigned __int128)state_ * n >> 64);
  }

 private:
  std::uint64_t state_;
};

std::size_t volume(uint3 v) { return std::size_t(v.x) * v.y * v.z; }

class scheduler {
 public:
  explicit scheduler(launch_request const& request);
  void run();
  void leave_lane();

  launch_request const& request;
  random_numbers random;
  context host = nullptr;
  bool stopped = false, leave_block = false;
  lane* preferred = nullptr;            // to run next
  std::size_t polls = 0, switches = 0;  // since there was progress
  std::size_t turns = 0;                // of lanes, ever
  std::size_t progress = 1;             // how often there was some

  void look(void* pc);  // from the watchdog

 private:
  void start(block&, std::size_t number);
  lane& choose();
  void enter(block&);
  void retire(block&);
  bool hangs() const;
  void report_hang();

  std::vector<std::uint32_t> order_;
  std::size_t started_ = 0;
  std::vector<std::unique_ptr<block>> resident_;
  block* current_ = nullptr;  // whose shared variables are in place
  std::size_t turns_seen_ = 0;
  long long steps_seen_ = 0;
  unsigned looks_ = 0;  // since the running lane's turn began
};

thread_local scheduler* active = nullptr;

scheduler::scheduler(launch_request const& r) : request(r), random(machine().seed) {
  order_.resize(volume(r.grid));
  std::iota(order_.begin(), order_.end(), 0);
  if (machine().order == block_order::descending) std::ranges::reverse(order_);
  if (machine().order == block_order::shuffled) {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random(i)]);
  }
  std::size_t const lanes = volume(r.block);
  std::size_t const most = std::min<std::size_t>(machine().resident_blocks, stacks::most / lanes);
  for (std::size_t i = 0; i < std::clamp<std::size_t>(most, 1, order_.size()); ++i) {
    auto& b = *resident_.emplace_back(std::make_unique<block>());
    b.global = &global_memory();
    b.shared = &shared_space(i);
    b.warps.resize((lanes + 31) / 32);
    b.lanes.resize(lanes);
    for (std::size_t k = 0; k < lanes; ++k) b.lanes[k].stack = i * lanes + k;
    start(b, order_[started_++]);
  }
}

void scheduler::start(block& b, std::size_t number) {
  b.request = &request;
  b.number = std::uint32_t(number);
  b.index = unflatten(number, request.grid);
  b.exited = b.at_barrier = 0;
  b.clock = {b.number};
  b.shared->begin_block(request.shared_bytes);
  for (warp& w : b.warps) w.existing = w.exited = w.polled = 0;
  for (unsigned i = 0; i < b.lanes.size(); ++i) {
    lane& l = b.lanes[i];
    l = {.home = &b,
         .group = &b.warps[i / 32],
         .index = i,
         .thread = unflatten(i, request.block),
         .stack = l.stack};
    l.knowledge = {lane_id(number << lane_bits() | i), b.clock};
    l.suspended = new_context(l.stack);
    if (i % 32 == 0) l.group->first = &l;
    l.group->existing |= l.bit();
    make_ready(l);
  }
}

void scheduler::run() {
  while (!stopped && !resident_.empty()) {
    if (!current_ || leave_block) enter(*resident_[random(resident_.size())]);
    leave_block = false;
    running = &choose();
    switch_to(host, running->suspended);
    running = nullptr;
    if (stopped) break;
    block& b = *current_;
    if (b.exited == b.lanes.size()) {
      retire(b);
    } else if (b.ready.empty()) {
      diagnose_stuck(b);
    } else if (hangs()) {
      report_hang();
    }
  }
}

lane& scheduler::choose() {
  auto& ready = current_->ready;
  auto chosen = ready.begin() + std::ptrdiff_t(random(ready.size()));
  if (lane* const l = std::exchange(preferred, nullptr)) chosen = std::ranges::find(ready, l);
  lane& l = **chosen;
  *chosen = ready.back();
  ready.pop_back();
  ++switches;
  ++turns;
  return l;
}

// From lane to lane directly, where the launch as a whole needs no attention.
void scheduler::leave_lane() {
  lane& l = *running;
  if (stopped || leave_block || current_->ready.empty() || switches % 1024 == 1023) {
    ++switches;
    switch_to(l.suspended, host);
  } else if (running = &choose(); running != &l) {
    switch_to(l.suspended, running->suspended);
  }
}

// Changing the block costs more than changing the lane.
void scheduler::enter(block& b) {
  if (current_ == &b) return;
  if (current_) current_->shared->leave();
  current_ = &b;
  b.shared->enter();
}

void scheduler::retire(block& b) {
  for (warp& w : b.warps) w.requests.finish();
  current_ = nullptr;
  if (started_ < order_.size()) {
    start(b, order_[started_++]);
  } else {
    std::erase_if(resident_, [&](auto const& r) { return r.get() == &b; });
  }
}

// Where every warp that can run polls in vain, it is given up soon; where one is busy, later.
bool scheduler::hangs() const {
  std::size_t const lanes = resident_.size() * resident_[0]->lanes.size();
  if (switches > 20'000'000 + 1024 * lanes) return true;
  if (polls <= 1000 + 4 * lanes || switches <= 500'000 + 256 * lanes) return false;
  return std::ranges::all_of(resident_, [&](auto const& b) {
    return std::ranges::all_of(b->ready,
                               [&](lane const* l) { return l->group->polled == progress; });
  });
}

// A turn without end is ended in the kernel's code, never inside the machine.
void scheduler::look(void* pc) {
  if (std::exchange(turns_seen_, turns) != turns) {
    looks_ = 0;
    steps_seen_ = running ? running->steps : 0;
  }
  if (++looks_ < 10 * machine().seconds_a_turn || !watching) return;
  inside_machine const inside;
  bool const touches_memory = running->steps != steps_seen_;
  stop("hang", "runs on and on without waiting for anything", touches_memory ? running->pc : pc);
}

void scheduler::report_hang() {
  for (auto const& b : resident_) {
    if (diagnose_withheld(*b)) return;
  }
  auto const first =
      std::ranges::min_element(resident_, {}, [](auto const& r) { return r->number; });
  lane const& l = **std::ranges::min_element((*first)->ready, {}, &lane::index);
  record(l, "hang", "waits for a change that no resident lane makes", l.pc);
}

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

void suspend() { active->leave_lane(); }

void yield(bool is_poll) {
  active->polls += is_poll;
  if (is_poll) running->group->polled = active->progress;
  active->leave_block = active->random(64) == 0;
  make_ready(*running);
  suspend();
}

bool chance(unsigned times) { return active->random(times) == 0; }

void make_ready(lane& l) {
  l.state = lane_state::ready;
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
  active->polls = active->switches = 0;
  ++active->progress;
}

void record(lane const& l, std::string kind, std::string text, void* pc) {
  if (std::exchange(active->stopped, true)) return;
  keep_finding(l, std::move(kind), std::move(text), pc);
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
  set_lane_bits(bits);
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
