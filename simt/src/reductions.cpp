// SPDX-License-Identifier: Apache-2.0
#include "reductions.hpp"

#include <algorithm>
#include <utility>

namespace simt {
namespace {

bool is_known(reductions::event const& e, lane_knowledge const& by) {
  return e.lane == by.self() || by.knows(e.lane, e.when);
}

std::size_t slot_of(std::uintptr_t address, std::size_t slots) {
  return (address >> 1) * 0x9e3779b97f4a7c15 >> 20 & (slots - 1);
}

}  // namespace

// Where the word is, or would be.
reductions::word* reductions::find(std::uintptr_t address) {
  for (std::size_t at = slot_of(address, words_.size());; at = (at + 1) & (words_.size() - 1)) {
    word& w = words_[at];
    if (w.generation != generation_ || w.address == address) return &w;
  }
}

reductions::word& reductions::find_or_add(std::uintptr_t address) {
  word* w = find(address);
  if (w->generation == generation_) return *w;
  if (2 * ++used_ > words_.size()) {
    grow();
    w = find(address);
  }
  w->address = address;
  w->generation = generation_;
  w->version = w->count = 0;
  return *w;
}

void reductions::grow() {
  auto const before = std::exchange(words_, std::vector<word>(2 * words_.size()));
  for (word const& w : before)
    if (w.generation == generation_) *find(w.address) = w;
}

void reductions::forget() {
  if (used_ == 0) return;
  ++generation_;
  used_ = 0;
  seen_.clear();
  losses_.clear();
}

void reductions::add(std::uintptr_t address, lane_knowledge const& l, std::uint32_t site,
                     bool is_late) {
  word& w = find_or_add(address);
  reduction const now_added{{l.self(), site, now()}, is_late ? ~0u : ++w.version};
  if (w.count && w.added[w.count - 1].lane == l.self()) {
    w.added[w.count - 1] = now_added;
    return;
  }
  auto const begin = w.added.begin(), end = begin + w.count;
  auto same = std::find_if(begin, end, [&](reduction const& r) { return r.lane == l.self(); });
  if (same == end) same = w.count < w.added.size() ? begin + w.count++ : begin;
  std::copy(same + 1, begin + w.count, same);
  w.added[w.count - 1] = now_added;
}

void reductions::arrive(std::uintptr_t address, lane_id lane, moment when) {
  word& w = *find(address);
  if (w.generation != generation_) return;
  ++w.version;
  for (reduction& r : w.added)
    if (r.lane == lane && r.when == when) r.version = w.version;
}

void reductions::see(std::uintptr_t address, lane_knowledge const& l) {
  if (is_empty()) return;
  word const& w = *find(address);
  if (w.generation != generation_) return;
  if (auto const lost = losses_.find(address); lost != losses_.end()) {
    auto const& [reduction, exchange] = lost->second;
    if (is_known(reduction, l) && is_known(exchange, l)) losses_.erase(lost);
  }
  if (w.count == 0) return;
  auto& all = seen_[address];
  auto const same = std::ranges::find(all, l.self(), &sight::lane);
  if (same != all.end() && same->version == w.version) return;
  if (same != all.end()) all.erase(same);
  if (all.size() == most_sights) all.erase(all.begin());
  all.push_back({{l.self(), 0, now()}, w.version});
}

reductions::event const* reductions::find_unordered(std::uintptr_t address,
                                                    lane_knowledge const& l) {
  if (is_empty()) return nullptr;
  word const& w = *find(address);
  if (w.generation != generation_) return nullptr;
  unsigned seen = 0;
  for (sight const& s : seen_[address])
    if (s.version > seen && is_known(s, l)) seen = s.version;
  for (unsigned i = 0; i < w.count; ++i)
    if (w.added[i].version > seen && !is_known(w.added[i], l)) return &w.added[i];
  return nullptr;
}

void reductions::replace(std::uintptr_t address, lane_knowledge const& l, bool loses,
                         std::uint32_t site) {
  word& w = *find(address);
  if (w.generation != generation_) return;
  for (unsigned i = 0; loses && i < w.count; ++i)
    if (!is_known(w.added[i], l)) losses_[address] = {w.added[i], {l.self(), site, now()}};
  w.count = 0;
}

reductions::loss const* reductions::find_loss() const {
  auto const order = [](auto const& entry) {
    event const& e = entry.second.exchange;
    return std::pair(e.when, e.lane);
  };
  auto const first = std::ranges::min_element(losses_, {}, order);
  return first == losses_.end() ? nullptr : &first->second;
}

}  // namespace simt
