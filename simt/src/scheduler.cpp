// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>

#include "directions.hpp"
#include "execution.hpp"
#include "findings.hpp"
#include "memory.hpp"
#include "random_numbers.hpp"
#include "symbols.hpp"
#include "watchdog.hpp"

namespace simt {

thread_local constinit lane* running = nullptr;
thread_local constinit bool watching = false;

namespace {

std::size_t volume(uint3 v) { return std::size_t(v.x) * v.y * v.z; }

class scheduler {
 public:
  explicit scheduler(launch_request const& request);
  void run();
  void leave_lane();
  bool happens(choice::kind what, unsigned once_in);
  void let_some_write_arrive();

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

  void look(void* pc);  // from the watchdog

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

thread_local scheduler* active = nullptr;

// As a schedule has it, where the program has nothing to say.
settings settings_now(directions const* directed) {
  settings s = machine();
  if (!directed) return s;
  s.seed = directed->all().seed;
  if (s.resident_blocks == settings{}.resident_blocks)
    s.resident_blocks = directed->all().resident_blocks;
  return s;
}

scheduler::scheduler(launch_request const& r)
    : request(r),
      random(settings_now(given_directions()).seed),
      delays(volume(r.grid) > 1 && (given_directions() || machine().seed != 0)) {
  if (directed) directed->begin_launch();
  order_.resize(volume(r.grid));
  std::iota(order_.begin(), order_.end(), 0);
  if (machine().order == block_order::descending) std::ranges::reverse(order_);
  if (machine().order == block_order::shuffled) {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random(i)]);
  }
  std::size_t const lanes = volume(r.block);
  std::size_t const most =
      std::min<std::size_t>(settings_now(directed).resident_blocks, stacks::most / lanes);
  patience_ = delays ? 16u << random(6) : 0;
  for (std::size_t i = 0; i < std::clamp<std::size_t>(most, 1, order_.size()); ++i) {
    resident_.push_back(place_for_block(i));
    start(*resident_.back(), order_[started_++]);
  }
}

std::unique_ptr<block> scheduler::place_for_block(std::size_t place) const {
  std::size_t const lanes = volume(request.block);
  auto b = std::make_unique<block>();
  b->place = place;
  b->global = &global_memory();
  b->shared = &shared_space(place);
  b->warps.resize((lanes + 31) / 32);
  b->lanes.resize(lanes);
  for (std::size_t k = 0; k < lanes; ++k) b->lanes[k].stack = place * lanes + k;
  return b;
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
    running = directed ? &choose_as_directed() : &choose_anywhere();
    last_ = running;
    switch_to(host, running->suspended);
    running = nullptr;
    if (stopped) break;
    block& b = *current_;
    if (b.exited == b.lanes.size()) {
      retire(b);
    } else if (b.ready.empty()) {
      diagnose_stuck(b);
    } else if (hangs() && !let_all_writes_arrive()) {
      report_hang();
    }
  }
  let_all_writes_arrive();
  if (stopped) return;
  report_losses(global_memory(), request);
  report_losses(program_variables(), request);
}

lane& scheduler::choose() {
  auto& ready = current_->ready;
  if (lane* const l = std::exchange(preferred, nullptr)) return take(*l);
  lane*& chosen = ready[random(ready.size())];
  lane& l = *chosen;
  chosen = ready.back();
  ready.pop_back();
  ++switches;
  ++turns;
  return l;
}

lane& scheduler::choose_anywhere() {
  if (!current_ || leave_block) enter(*resident_[random(resident_.size())]);
  leave_block = false;
  return choose();
}

// From the lanes that can run.
lane& scheduler::take(lane& l) {
  auto& ready = l.home->ready;
  *std::ranges::find(ready, &l) = ready.back();
  ready.pop_back();
  ++switches;
  ++turns;
  enter(*l.home);
  return l;
}

lane& scheduler::choose_as_directed() {
  if (lane* const l = std::exchange(preferred, nullptr)) return take(*l);
  std::size_t ready = 0;
  for (auto const& b : resident_) ready += b->ready.size();
  if (switches > 32 * ready) let_all_writes_arrive();  // nothing else happens
  lane* next = &choose_usual();
  auto const find = [&](std::uint32_t number, std::uint32_t index) -> lane* {
    for (auto const& b : resident_) {
      if (b->number != number || index >= b->lanes.size()) continue;
      return b->lanes[index].state == lane_state::ready ? &b->lanes[index] : nullptr;
    }
    return nullptr;
  };
  auto const lane_at = [&](std::size_t n) {
    auto b = resident_.begin();
    for (; n >= (*b)->ready.size(); ++b) n -= (*b)->ready.size();
    return (*b)->ready[n];
  };
  if (last_) next = directed->next(*last_, next, ready, find, lane_at);
  if (next != last_) yields = 0;
  return take(*next);
}

// The same lane again, while it seems to have something to do; then the one behind it.
lane& scheduler::choose_usual() {
  if (last_ && last_->state == lane_state::ready && yields < 16) return *last_;
  auto at = std::ranges::find(resident_, last_ ? last_->home : nullptr,
                              [](auto const& b) { return b.get(); });
  if (at == resident_.end()) at = resident_.begin();
  for (std::size_t i = last_ ? last_->index + 1 : 0;; i = 0) {
    auto& lanes = (*at)->lanes;
    for (; i < lanes.size(); ++i)
      if (lanes[i].state == lane_state::ready) return lanes[i];
    if (++at == resident_.end()) at = resident_.begin();
  }
}

bool scheduler::happens(choice::kind what, unsigned once_in) {
  return directed ? directed->happens(*running, what) : random(once_in) == 0;
}

// By chance, now and then.
void scheduler::let_some_write_arrive() {
  if (random(patience_) != 0) return;
  std::size_t const i = random(resident_.size() + gone_.size());
  auto& late = (i < resident_.size() ? resident_[i] : gone_[i - resident_.size()])->late;
  if (!late.empty()) late.make_one(random(late.size()));
  std::erase_if(gone_, [](auto const& b) { return b->late.empty(); });
}

bool scheduler::let_all_writes_arrive() {
  bool any = !gone_.empty();
  for (auto const* all : {&resident_, &gone_}) {
    for (auto const& b : *all) {
      any = any || !b->late.empty();
      b->late.make_all();
    }
  }
  gone_.clear();
  return any;
}

// From lane to lane directly, where the launch as a whole needs no attention.
void scheduler::leave_lane() {
  lane& l = *running;
  if (stopped || directed || leave_block || current_->ready.empty() || switches % 1024 == 1023) {
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
  report_losses(*b.shared, request);
  current_ = nullptr;
  last_ = nullptr;
  auto const at = std::ranges::find(resident_, &b, [](auto const& r) { return r.get(); });
  if (gone_.size() == 16) b.late.make_all();
  if (!b.late.empty()) {
    auto next = place_for_block(b.place);
    gone_.push_back(std::exchange(*at, std::move(next)));
  }
  if (started_ < order_.size()) {
    start(**at, order_[started_++]);
  } else {
    resident_.erase(at);
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
