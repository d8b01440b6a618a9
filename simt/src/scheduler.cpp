// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <numeric>

#include "execution.hpp"
#include "findings.hpp"

namespace simt {

thread_local constinit lane* running = nullptr;

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

uint3 unflatten(std::size_t i, uint3 size) {
  return {unsigned(i % size.x), unsigned(i / size.x % size.y), unsigned(i / size.x / size.y)};
}

class scheduler {
 public:
  explicit scheduler(launch_request const& request);
  void run();

  launch_request const& request;
  random_numbers random;
  context host = nullptr;
  bool stopped = false, leave_block = false;
  std::size_t polls = 0, switches = 0;  // since there was progress

 private:
  void start(block&, std::size_t number);
  void run_one(lane&);
  block& choose();
  bool hangs() const;
  void report_hang();

  std::vector<std::uint32_t> order_;
  std::size_t started_ = 0;
  std::vector<std::unique_ptr<block>> resident_;
  block* current_ = nullptr;
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
    b.lanes.resize(lanes);
    for (std::size_t k = 0; k < lanes; ++k) b.lanes[k].stack = i * lanes + k;
    start(b, order_[started_++]);
  }
}

void scheduler::start(block& b, std::size_t number) {
  b.request = &request;
  b.number = number;
  b.index = unflatten(number, request.grid);
  b.exited = b.at_barrier = 0;
  b.warps.assign((b.lanes.size() + 31) / 32, {});
  b.ready.clear();
  for (unsigned i = 0; i < b.lanes.size(); ++i) {
    lane& l = b.lanes[i];
    l = {.home = &b,
         .group = &b.warps[i / 32],
         .index = i,
         .thread = unflatten(i, request.block),
         .stack = l.stack};
    l.suspended = new_context(l.stack);
    if (i % 32 == 0) l.group->first = &l;
    l.group->existing |= l.bit();
    b.ready.push_back(&l);
  }
}

void scheduler::run() {
  while (!stopped && !resident_.empty()) {
    block& b = choose();
    std::size_t const k = random(b.ready.size());
    lane& l = *b.ready[k];
    b.ready[k] = b.ready.back();
    b.ready.pop_back();
    run_one(l);
    if (stopped) break;
    if (b.exited == b.lanes.size()) {
      current_ = nullptr;
      if (started_ < order_.size()) {
        start(b, order_[started_++]);
      } else {
        std::erase_if(resident_, [&](auto const& r) { return r.get() == &b; });
      }
    } else if (b.ready.empty()) {
      diagnose_stuck(b);
    } else if (hangs()) {
      report_hang();
    }
  }
}

void scheduler::run_one(lane& l) {
  ++switches;
  running = &l;
  switch_to(host, l.suspended);
  running = nullptr;
}

// Changing the block costs more than changing the lane.
block& scheduler::choose() {
  if (!current_ || leave_block) current_ = resident_[random(resident_.size())].get();
  leave_block = false;
  return *current_;
}

bool scheduler::hangs() const {
  std::size_t const lanes = resident_.size() * resident_[0]->lanes.size();
  return polls > 1000 + 4 * lanes && switches > 500'000 + 256 * lanes;
}

void scheduler::report_hang() {
  auto const first =
      std::ranges::min_element(resident_, {}, [](auto const& r) { return r->number; });
  lane const& l = **std::ranges::min_element((*first)->ready, {}, &lane::index);
  record(l, "hang", "waits for a change that no resident lane makes", l.pc);
}

}  // namespace

void lane_main() {
  active->request.run(active->request.arguments);
  lane& l = *running;
  l.state = lane_state::exited;
  l.group->exited |= l.bit();
  ++l.home->exited;
  after_exit(l);
  note_progress();
  suspend();
  __builtin_unreachable();
}

void suspend() { switch_to(running->suspended, active->host); }

void yield(bool is_poll) {
  active->polls += is_poll;
  active->leave_block = active->random(64) == 0;
  make_ready(*running);
  suspend();
}

void make_ready(lane& l) {
  l.state = lane_state::ready;
  l.home->ready.push_back(&l);
}

void note_progress() { active->polls = active->switches = 0; }

void record(lane const& l, std::string kind, std::string text, void* pc) {
  if (std::exchange(active->stopped, true)) return;
  keep_finding(l, std::move(kind), std::move(text), pc);
}

void stop(std::string kind, std::string text, void* pc) {
  record(*running, std::move(kind), std::move(text), pc);
  suspend();
  __builtin_unreachable();
}

cudaError_t launch(launch_request const& request) {
  std::size_t const lanes = volume(request.block), blocks = volume(request.grid);
  if (!lanes || lanes > 1024 || !blocks || blocks > 1u << 24 || request.shared_bytes > 227 << 10) {
    return cudaErrorInvalidConfiguration;
  }
  static std::mutex one_at_a_time;
  std::lock_guard const lock(one_at_a_time);
  scheduler s(request);
  active = &s;
  s.run();
  active = nullptr;
  return cudaSuccess;
}

long long lane_clock() {
  long long const now = ++running->steps;
  if (now % 8 == 0) yield(false);  // not a poll: time passes
  return now;
}
void pause() { yield(false); }
void trap(void* pc) { stop("trap", "the kernel trapped", pc); }

}  // namespace simt

uint3 simt_thread_index() { return simt::running->thread; }
uint3 simt_block_index() { return simt::running->home->index; }
dim3 simt_block_size() { return simt::running->home->request->block; }
dim3 simt_grid_size() { return simt::running->home->request->grid; }
