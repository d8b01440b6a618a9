// SPDX-License-Identifier: Apache-2.0
#include "clocks.hpp"

#include <algorithm>

namespace simt {
namespace {

// Merges sorted entries; of two for one key, the later.
std::vector<knowledge::entry> join(std::vector<knowledge::entry> const& a,
                                   std::vector<knowledge::entry> const& b) {
  std::vector<knowledge::entry> all;
  all.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      all.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      all.push_back(*j++);
    } else {
      all.emplace_back(i->first, std::max(i->second, j->second));
      ++i, ++j;
    }
  }
  return all;
}

moment find(std::vector<knowledge::entry> const& entries, std::uint32_t key) {
  auto const at = std::ranges::lower_bound(entries, key, {}, &knowledge::entry::first);
  return at != entries.end() && at->first == key ? at->second : 0;
}

}  // namespace

known join(known const& a, known const& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  return std::make_shared<knowledge const>(join(a->blocks, b->blocks), join(a->lanes, b->lanes));
}

bool lane_knowledge::knows(lane_id other, moment when) const {
  std::uint32_t const number = other >> lane_bits;
  if (number == block_->number) {
    if (when <= block_->barrier || other == self_) return true;
    if (other / 32 == self_ / 32 && warp_ && when <= (*warp_)[other % 32]) return true;
  }
  return others_ && (when <= find(others_->blocks, number) || when <= find(others_->lanes, other));
}

known lane_knowledge::snapshot() const {
  knowledge mine;
  if (block_->barrier) mine.blocks.emplace_back(block_->number, block_->barrier);
  for (unsigned i = 0; i < 32; ++i) {
    lane_id const id = self_ / 32 * 32 + i;
    moment const when = id == self_ ? time_now : warp_ ? (*warp_)[i] : 0;
    if (when > block_->barrier) mine.lanes.emplace_back(id, when);
  }
  return join(std::make_shared<knowledge const>(std::move(mine)), others_);
}

void lane_knowledge::learn(known const& news) {
  if (!news || news == last_learned_) return;
  last_learned_ = news;
  others_ = join(others_, news);
}

void lane_knowledge::fence(int order, int scope) {
  if (is_acquire(order)) {
    if (is_beyond_block(scope)) learn(pending_device_);
    learn(pending_block_);
  }
  if (!is_release(order)) return;
  fenced_block_ = snapshot();
  if (is_beyond_block(scope)) fenced_device_ = fenced_block_;
  ++time_now;
}

void lane_knowledge::read_flag(flags const& all, std::uintptr_t address, int order, int scope) {
  auto const at = all.find(address);
  if (at != all.end()) receive(at->second, order, scope);
}

void lane_knowledge::receive(released const& r, int order, int scope) {
  bool const same_block = r.block == block_->number;
  if (is_acquire(order)) {
    if (is_beyond_block(scope)) learn(r.to_device);
    if (same_block) learn(r.to_block);
  } else {
    if (is_beyond_block(scope)) pending_device_ = join(pending_device_, r.to_device);
    if (same_block) pending_block_ = join(pending_block_, r.to_block);
  }
}

void lane_knowledge::write_flag(flags& all, std::uintptr_t address, int order, int scope,
                                bool is_update) {
  known to_device = is_beyond_block(scope) ? fenced_device_ : nullptr;
  known to_block = fenced_block_;
  if (is_release(order)) {
    to_block = snapshot();
    if (is_beyond_block(scope)) to_device = to_block;
    ++time_now;
  }
  if (!to_block && (is_update || !all.contains(address))) return;
  released& r = all[address];
  if (is_update) {  // goes on handing out what the writes before it did
    to_device = join(r.to_device, to_device);
    if (r.block == block_->number) to_block = join(r.to_block, to_block);
  }
  r = {to_device, to_block, block_->number};
}

void lane_knowledge::meet_block(block_clock& b, std::vector<lane_knowledge*> const& lanes) {
  known all;
  for (auto const* l : lanes) all = join(all, l->others_);
  for (auto* l : lanes) l->others_ = all;
  b.barrier = time_now++;
}

void lane_knowledge::meet_warp(std::vector<lane_knowledge*> const& lanes) {
  known all;
  auto const latest = std::make_shared<of_warp>();
  for (auto const* l : lanes) {
    all = join(all, l->others_);
    for (unsigned i = 0; l->warp_ && i < 32; ++i) {
      (*latest)[i] = std::max((*latest)[i], (*l->warp_)[i]);
    }
  }
  for (auto const* l : lanes) (*latest)[l->self_ % 32] = time_now;
  for (auto* l : lanes) {
    l->others_ = all;
    l->warp_ = latest;
  }
  ++time_now;
}

}  // namespace simt
