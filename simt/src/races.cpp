// SPDX-License-Identifier: Apache-2.0
#include "races.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <system_error>

namespace simt {
namespace {

// The flags beside a lane's number.
constexpr std::uint32_t lane_mask = (1u << 27) - 1, is_split = 1u << 31, is_list = 1u << 30;
constexpr unsigned touch_shift = 27;

touch touch_of(std::uint32_t other) { return touch(other >> touch_shift & 7); }

unsigned bit(touch t) { return 1u << unsigned(t); }

// The kinds of access that conflict with one, as bits; all do with a write.
unsigned conflicting(touch t) {
  switch (t) {
    case touch::read: return bit(touch::atomic_write) | bit(touch::block_write);
    case touch::atomic_load: return bit(touch::block_write);
    case touch::atomic_write:
      return bit(touch::read) | bit(touch::block_load) | bit(touch::block_write);
    case touch::block_load: return bit(touch::atomic_write) | bit(touch::block_write);
    default: return ~0u;
  }
}

bool is_atomic(touch t) { return t != touch::read && t != touch::write; }

// Atomics of a block's scope conflict with other blocks' only.
bool conflict(touch x, touch y, bool same_block) {
  return conflicting(x) & bit(y) && !(same_block && is_atomic(x) && is_atomic(y));
}

}  // namespace

race_record::race_record(std::size_t bytes) : count_((bytes + 3) / 4) {
  void* const at = mmap(nullptr, count_ * sizeof(cell), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "race record");
  cells_ = static_cast<cell*>(at);
}

race_record::~race_record() {
  if (cells_) munmap(cells_, count_ * sizeof(cell));
}

void race_record::forget() {
  since_ = tick();
  lists_.clear();
  bytes_.clear();
}

void race_record::release(std::size_t begin, std::size_t end) {
  auto const first = (std::uintptr_t(&cells_[begin / 4]) + 4095) & ~std::uintptr_t(4095);
  auto const last = std::uintptr_t(&cells_[end / 4]) & ~std::uintptr_t(4095);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

std::optional<access> race_record::add(std::size_t offset, unsigned size, lane_knowledge const& l,
                                       touch how, std::uint32_t site) {
  for (std::size_t at = offset, end = offset + size; at < end;) {
    cell& c = cells_[at / 4];
    std::size_t const next = std::min(at / 4 * 4 + 4, end);
    bool const split = c.other & is_split && c.other_time > since_;
    if (!split && next - at == 4) {
      if (auto found = add(c, l, how, site)) return found;
    } else {
      cell* const bytes = bytes_of(c);
      for (std::size_t i = at; i < next; ++i) {
        if (auto found = add(bytes[i % 4], l, how, site)) return found;
      }
    }
    at = next;
  }
  return {};
}

bool race_record::is_written(std::size_t offset, unsigned size) const {
  auto const written = [&](cell const& c) {
    if (c.write_time > since_) return true;
    if (c.other_time <= since_) return false;
    unsigned const kinds =
        c.other & is_list ? lists_[c.other & lane_mask].kinds : bit(touch_of(c.other));
    return (kinds & (bit(touch::atomic_write) | bit(touch::block_write))) != 0;
  };
  for (std::size_t at = offset; at < offset + size; ++at) {
    cell const& c = cells_[at / 4];
    bool const split = c.other & is_split && c.other_time > since_;
    if (written(split ? bytes_[c.other & lane_mask][at % 4] : c)) return true;
  }
  return false;
}

// From here on the word's bytes are told apart.
race_record::cell* race_record::bytes_of(cell& c) {
  if (!(c.other & is_split && c.other_time > since_)) {
    cell const whole = c;
    auto& bytes = bytes_.emplace_back();
    bytes.fill(whole);
    if (whole.other & is_list && whole.other_time > since_) {
      for (unsigned i = 1; i < 4; ++i) {
        bytes[i].other = is_list | std::uint32_t(lists_.size());
        lists_.push_back(lists_[whole.other & lane_mask]);
      }
    }
    c.other = is_split | std::uint32_t(bytes_.size() - 1);
    c.other_time = now();
  }
  return bytes_[c.other & lane_mask].data();
}

std::optional<access> race_record::add(cell& c, lane_knowledge const& l, touch how,
                                       std::uint32_t site) {
  auto const unordered = [&](lane_id lane, moment when) {
    return when > since_ && lane != l.self() && !l.knows(lane, when);
  };
  if (unordered(c.writer, c.write_time)) {
    return access{c.writer, c.write_time, c.write_site, touch::write};
  }
  auto const races = [&](access const& a) {
    bool const same_block = (a.lane ^ l.self()) >> lane_bits == 0;
    return conflict(how, a.how, same_block) && unordered(a.lane, a.when);
  };
  bool const has_others = c.other_time > since_;
  if (has_others && !(c.other & is_list)) {
    access const a{c.other & lane_mask, c.other_time, c.other_site, touch_of(c.other)};
    if (races(a)) return a;
  } else if (has_others && conflicting(how) & lists_[c.other & lane_mask].kinds) {
    for (access const& a : lists_[c.other & lane_mask].all) {
      if (races(a)) return a;
    }
  }
  remember(c, l, how, site);
  return {};
}

void race_record::remember(cell& c, lane_knowledge const& l, touch how, std::uint32_t site) {
  if (how == touch::write) {
    c = {l.self(), site, now(), 0, 0, 0};
    return;
  }
  auto const replaced = [&](lane_id lane, moment when, touch earlier) {
    return when <= since_ || ((earlier == how || earlier == touch::atomic_load) &&
                              (lane == l.self() || l.knows(lane, when)));
  };
  bool const has_list = c.other & is_list && c.other_time > since_;
  if (!has_list && replaced(c.other & lane_mask, c.other_time, touch_of(c.other))) {
    c.other = l.self() | std::uint32_t(how) << touch_shift;
  } else {
    if (!has_list) {
      access const first{c.other & lane_mask, c.other_time, c.other_site, touch_of(c.other)};
      c.other = is_list | std::uint32_t(lists_.size());
      lists_.push_back({{first}, bit(first.how)});
    }
    auto& list = lists_[c.other & lane_mask];
    if (list.all.size() >= list.most) {
      std::erase_if(list.all, [&](access const& a) { return replaced(a.lane, a.when, a.how); });
      list.most = 2 * list.all.size() + 1;
    }
    list.all.push_back({l.self(), now(), site, how});
    list.kinds |= bit(how);
  }
  c.other_site = site;
  c.other_time = now();
}

}  // namespace simt
