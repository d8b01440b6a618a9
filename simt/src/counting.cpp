// SPDX-License-Identifier: Apache-2.0
#include "counting.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "execution.hpp"
#include "symbols.hpp"

namespace simt {
namespace {

// The sites of a launch: a hash table of the places in the code, in the order they were met.
struct site_table {
  std::vector<site_id> slots = std::vector<site_id>(1024, 0);  // one more than the site; 0: free
  std::vector<void*> places;
  std::vector<counts> totals;
};
site_table sites;
std::vector<kernel_counts> kept;
bool asked_for = false;

std::size_t slot_of(void* pc, std::size_t slots) {
  std::size_t at = std::uintptr_t(pc) * 0x9e3779b97f4a7c15 >> 40 & (slots - 1);
  while (sites.slots[at] && sites.places[sites.slots[at] - 1] != pc) at = (at + 1) & (slots - 1);
  return at;
}

void grow() {
  sites.slots.assign(2 * sites.slots.size(), 0);
  for (site_id s = 0; s < sites.places.size(); ++s) {
    sites.slots[slot_of(sites.places[s], sites.slots.size())] = s + 1;
  }
}

// How many different pieces of 1 << shift words the lanes touch.
unsigned pieces(std::uint32_t const* words, unsigned lanes, unsigned width, unsigned shift) {
  std::array<std::uint32_t, 64> all;
  unsigned n = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    std::uint32_t const first = words[i] >> shift, last = (words[i] + width - 1) >> shift;
    if (!n || all[n - 1] != first) all[n++] = first;
    if (last != first) all[n++] = last;
  }
  std::sort(all.begin(), all.begin() + n);
  return unsigned(std::unique(all.begin(), all.begin() + n) - all.begin());
}

// Passes over the 32 banks: the most different words that one bank is asked for.
unsigned passes(std::uint32_t const* words, unsigned lanes, unsigned width) {
  std::array<std::uint32_t, 32 * 4> all;
  unsigned n = 0;
  for (unsigned i = 0; i < lanes; ++i) {
    for (unsigned k = 0; k < width; ++k) all[n++] = words[i] + k;
  }
  std::sort(all.begin(), all.begin() + n);
  std::array<std::uint8_t, 32> asked{};
  auto const end = std::unique(all.begin(), all.begin() + n);
  for (auto w = all.begin(); w != end; ++w) ++asked[*w % 32];
  return *std::ranges::max_element(asked);
}

}  // namespace

site_id site_of(void* pc) {
  std::size_t const at = slot_of(pc, sites.slots.size());
  if (sites.slots[at]) return sites.slots[at] - 1;
  sites.places.push_back(pc);
  sites.totals.emplace_back();
  site_id const site = sites.slots[at] = site_id(sites.places.size());
  if (2 * sites.places.size() > sites.slots.size()) grow();
  return site - 1;
}

void* pc_of(site_id site) { return sites.places[site]; }
counts& counts_of(site_id site) { return sites.totals[site]; }

void warp_requests::add(lane& l, std::uintptr_t address, unsigned bytes, bool is_shared,
                        site_id site) {
  std::size_t const at = 2 * std::size_t{site} + is_shared;  // a copy is at one place of both
  if (queues_.size() <= at) queues_.resize(at + 16);
  if (!queues_[at]) queues_[at] = std::make_unique<queue>();
  queue& q = *queues_[at];
  q.bytes = bytes;
  q.is_shared = is_shared;
  q.site = site;
  unsigned const i = l.index % 32;
  for (unsigned tries = 0; q.seen[i] - q.first >= depth && q.seen[i] >= q.first; ++tries) {
    unsigned const missing = l.group->existing & ~q.requests[q.first % depth].arrived;
    if (tries == 32 || !let_run(*l.group, missing)) count_first(q);
  }
  std::uint32_t const number = q.seen[i]++, word = std::uint32_t(address / 4);
  if (number < q.first) {  // the others were counted without this lane
    request const late{l.bit(), {word}};
    queue alone;
    alone.requests[0] = late;
    alone.bytes = bytes;
    alone.is_shared = is_shared;
    alone.site = site;
    alone.requests[0].words[i] = word;
    count_first(alone);
    return;
  }
  request& r = q.requests[number % depth];
  r.arrived |= l.bit();
  r.words[i] = word;
  while (q.requests[q.first % depth].arrived == l.group->existing) count_first(q);
}

void warp_requests::count_first(queue& q) {
  request& r = q.requests[q.first++ % depth];
  unsigned const width = (q.bytes + 3) / 4;
  std::array<std::uint32_t, 32> words;
  counts& total = counts_of(q.site);
  if (!q.is_shared) {
    unsigned n = 0;
    for (unsigned m = r.arrived; m; m &= m - 1) words[n++] = r.words[std::countr_zero(m)];
    total.sectors += pieces(words.data(), n, width, 3);
    total.lines += pieces(words.data(), n, width, 5);
  } else {
    unsigned const together = 32 / width;  // lanes whose words fill the banks once
    for (unsigned first = 0; first < 32; first += together) {
      unsigned n = 0;
      for (unsigned i = first; i < first + together; ++i) {
        if (r.arrived >> i & 1) words[n++] = r.words[i];
      }
      if (n) total.bank_conflicts += passes(words.data(), n, width) - 1;
    }
  }
  r.arrived = 0;
}

void warp_requests::finish() {
  for (auto& q : queues_) {
    for (std::uint32_t k = 0; q && k < depth; ++k) {
      if (q->requests[q->first % depth].arrived) {
        count_first(*q);
      } else {
        ++q->first;
      }
    }
    if (q) q->seen.fill(q->first = 0);
  }
}

counts& counts::operator+=(counts const& other) {
  sectors += other.sectors;
  lines += other.lines;
  bank_conflicts += other.bank_conflicts;
  barriers += other.barriers;
  warp_barriers += other.warp_barriers;
  shuffles += other.shuffles;
  atomics += other.atomics;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  applications += other.applications;
  return *this;
}

bool counts_requests() { return asked_for; }

void begin_counting() {
  std::ranges::fill(sites.slots, 0);
  sites.places.clear();
  sites.totals.clear();
}

void end_counting(std::string kernel, position grid, position block) {
  if (!asked_for) return;
  kernel_counts all{std::move(kernel), grid, block, {}, {}};
  std::map<std::pair<std::string, int>, counts> by_line;
  for (site_id s = 0; s < sites.places.size(); ++s) {
    auto const& [file, line] = place_of(sites.places[s]);
    by_line[{file, line}] += sites.totals[s];
    all.total += sites.totals[s];
  }
  for (auto const& [at, total] : by_line) all.by_line.push_back({at.first, at.second, total});
  kept.push_back(std::move(all));
}

std::vector<kernel_counts> take_counts() {
  asked_for = true;
  return std::exchange(kept, {});
}

void count_application() {
  if (!watching) return;
  inside_machine const inside;
  ++counts_of(site_of(__builtin_return_address(0))).applications;
}

}  // namespace simt
