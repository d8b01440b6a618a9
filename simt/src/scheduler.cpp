// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <algorithm>
#include <numeric>

#include "memory.hpp"

namespace simt {
namespace {

// As a schedule has it, where the program has nothing to say.
settings settings_now(directions const* directed) {
  settings s = machine();
  if (!directed) return s;
  s.seed = directed->all().seed;
  if (s.resident_blocks == settings{}.resident_blocks)
    s.resident_blocks = directed->all().resident_blocks;
  return s;
}

}  // namespace

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
      r.together
          ? order_.size()
          : std::min<std::size_t>(settings_now(directed).resident_blocks, stacks::most / lanes);
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
  b.copies.clear();
  b.shared->begin_block(request.shared_bytes);
  for (warp& w : b.warps) w.existing = w.exited = w.meeting = w.asking = w.polled = 0;
  for (unsigned i = 0; i < b.lanes.size(); ++i) {
    lane& l = b.lanes[i];
    l = {.home = &b,
         .group = &b.warps[i / 32],
         .index = i,
         .thread = unflatten(i, request.block),
         .stack = l.stack};
    l.knowledge = {lane_id(number << lane_bits | i), b.clock};
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

}  // namespace simt
