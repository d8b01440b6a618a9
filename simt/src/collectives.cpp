// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "execution.hpp"
#include "findings.hpp"
#include "symbols.hpp"

// Where lanes meet: barriers of a block; shuffles, votes and reductions of a warp.
namespace simt {
namespace {

bool is_shuffle(collective what) { return what <= collective::shuffle_xor; }

char const* name_of(collective what) {
  static constexpr char const* names[] = {
      "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",
      "__ballot_sync",     "__any_sync",        "__all_sync",        "__match_any_sync",
      "__match_all_sync",  "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
      "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync", "__activemask",
      "__syncwarp"};
  return names[int(what)];
}

template <class F>
void for_each(warp const& w, unsigned mask, F f) {
  for (; mask; mask &= mask - 1) f(w.first[std::countr_zero(mask)]);
}

bool any_of(unsigned mask, warp const& w, auto predicate) {
  bool found = false;
  for_each(w, mask, [&](lane& l) { found = found || predicate(l); });
  return found;
}

// The lane that a shuffle reads, as PTX defines it.
unsigned source_of(lane const& l) {
  offer const& o = l.offered;
  int const self = int(l.index % 32), width = int(o.width);
  int const first = self & ~(width - 1), last = first + width - 1, b = int(o.source & 31);
  int source = self;
  switch (o.what) {
    case collective::shuffle_up: source = self - b < first ? self : self - b; break;
    case collective::shuffle_down: source = self + b > last ? self : self + b; break;
    case collective::shuffle_xor: source = (self ^ b) > last ? self : self ^ b; break;
    default: source = first | (b & (width - 1));
  }
  return unsigned(source);
}

word reduce(collective what, bool is_signed, word x, word y) {
  bool const y_is_less = is_signed ? int(y) < int(x) : unsigned(y) < unsigned(x);
  switch (what) {
    case collective::reduce_add: return unsigned(x + y);
    case collective::reduce_min: return y_is_less ? y : x;
    case collective::reduce_max: return y_is_less ? x : y;
    case collective::reduce_and: return x & y;
    case collective::reduce_or: return x | y;
    default: return x ^ y;
  }
}

void shuffle(warp const& w, unsigned present) {
  for_each(w, present, [&](lane& l) {
    unsigned const source = source_of(l);
    if (present >> source & 1) {
      l.received = w.first[source].offered.value;
      return;
    }
    char const* const why = w.exited >> source & 1        ? "which has exited"
                            : !(w.existing >> source & 1) ? "which does not exist"
                                                          : "which is not in the mask";
    record(l, "shuffle", "reads from lane " + std::to_string(source) + " of its warp, " + why,
           l.pc);
  });
}

void vote(warp const& w, unsigned present) {
  lane& some = w.first[std::countr_zero(present)];
  unsigned yes = 0;
  word reduced = some.offered.value;
  for_each(w, present, [&](lane& l) {
    yes |= l.offered.value ? l.bit() : 0;
    if (&l != &some)
      reduced = reduce(some.offered.what, l.offered.is_signed, reduced, l.offered.value);
  });
  auto const equal_to = [&](lane const& l) {
    unsigned equal = 0;
    for_each(w, present,
             [&](lane& m) { equal |= m.offered.value == l.offered.value ? m.bit() : 0; });
    return equal;
  };
  for_each(w, present, [&](lane& l) {
    switch (l.offered.what) {
      case collective::ballot: l.received = yes; break;
      case collective::any: l.received = yes != 0; break;
      case collective::all: l.received = yes == present; break;
      case collective::match_any: l.received = equal_to(l); break;
      case collective::match_all: l.received = equal_to(l) == present ? present : 0; break;
      default: l.received = reduced;
    }
  });
}

// Ends the meeting that the lane has arrived at, if all lanes of its mask have.
bool complete(lane& arrived) {
  warp const& w = *arrived.group;
  offer const o = arrived.offered;
  unsigned const present = o.mask & w.existing & ~w.exited;
  bool const missing = present & ~w.meeting || any_of(present, w, [&](lane const& l) {
                         return l.offered.what != o.what || l.offered.mask != o.mask;
                       });
  if (missing) return false;
  auto& total = counts_of(site_of(arrived.pc));
  ++(o.what == collective::sync_warp ? total.warp_barriers : total.shuffles);
  if (o.what == collective::sync_warp) {
    std::vector<lane_knowledge*> all;
    for_each(w, present, [&](lane& l) { all.push_back(&l.knowledge); });
    lane_knowledge::meet_warp(all);
    for_each(w, o.mask & w.exited, [&](lane const& l) {
      record(l, "exit before a barrier", "has exited, but is in the mask of __syncwarp",
             arrived.pc);
    });
  } else if (is_shuffle(o.what)) {
    shuffle(w, present);
  } else {
    vote(w, present);
  }
  arrived.group->polled = 0;  // it has gone on
  for_each(w, present, [](lane& l) { make_ready(l); });
  return true;
}

// Who is active together: the lanes that wait at one __activemask when no other lane of the warp
// runs that could still come there.
void settle(warp const& w) {
  if (!w.asking) return;
  unsigned const present = w.existing & ~w.exited;
  lane const* first = nullptr;
  bool others_run = false;
  for_each(w, present, [&](lane const& l) {
    others_run |= l.state == lane_state::ready;
    if (w.asking & l.bit() && !first) first = &l;
  });
  if (!first || others_run) return;
  unsigned together = 0;
  for_each(w, present, [&](lane const& l) {
    if (l.state == lane_state::meeting && l.pc == first->pc) together |= l.bit();
  });
  for_each(w, together, [&](lane& l) {
    l.received = together;
    make_ready(l);
  });
}

// Two copies that the compiler made of one call are one barrier.
bool same_barrier(lane const& x, lane const& y) {
  return x.pc == y.pc || (x.barrier_kind == y.barrier_kind && place_of(x.pc) == place_of(y.pc));
}

// All lanes of the block have arrived.
void release(block& b) {
  lane const& first = b.lanes[0];
  int yes = 0;
  for (lane const& l : b.lanes) {
    if (!same_barrier(l, first)) {
      record(l, "barrier divergence",
             "is here while " + name_of(first) + " is at " + text_of(first.pc), l.pc);
    }
    yes += l.predicate != 0;
  }
  b.at_barrier = 0;
  ++counts_of(site_of(first.pc)).barriers;
  std::vector<lane_knowledge*> all;
  for (lane& l : b.lanes) all.push_back(&l.knowledge);
  lane_knowledge::meet_block(b.clock, all);
  for (lane& l : b.lanes) {
    l.received = l.barrier_kind == barrier::count ? yes
                 : l.barrier_kind == barrier::all ? yes == int(b.lanes.size())
                                                  : yes != 0;
    make_ready(l);
  }
}

// A lane waits for the others of its mask, of which one can never come.
void diagnose_meeting(lane const& l) {
  warp const& w = *l.group;
  auto const elsewhere = [&](lane const& m) {
    return m.state != lane_state::meeting || m.offered.what != l.offered.what ||
           m.offered.mask != l.offered.mask;
  };
  lane const* other = nullptr;
  for_each(w, l.offered.mask & w.existing & ~w.exited, [&](lane const& m) {
    if (!other && elsewhere(m)) other = &m;
  });
  std::string const what =
      other->state == lane_state::meeting ? name_of(other->offered.what) : "__syncthreads";
  record(l, l.offered.what == collective::sync_warp ? "barrier divergence" : "shuffle",
         std::string("waits in ") + name_of(l.offered.what) + " for " + name_of(*other) +
             ", which is in " + what + " at " + text_of(other->pc),
         l.pc);
}

}  // namespace

void diagnose_stuck(block const& b) {
  if (diagnose_withheld(b)) return;
  for (lane const& l : b.lanes) {
    if (l.state == lane_state::meeting) return diagnose_meeting(l);
  }
  for (lane const& l : b.lanes) {
    if (l.state == lane_state::awaiting_phase)
      return record(l, "hang", "waits for a phase of a barrier to end, which nobody does", l.pc);
  }
  lane const* exited = nullptr;
  lane const* waiting = nullptr;
  for (lane const& l : b.lanes) {
    auto& one = l.state == lane_state::exited ? exited : waiting;
    if (!one) one = &l;
  }
  record(*exited, "exit before a barrier", "has exited, but " + name_of(*waiting) + " waits for it",
         waiting->pc);
}

word meet(offer const& o, void* pc) {
  inside_machine const inside;
  lane& l = *running;
  l.offered = o;
  l.pc = pc;
  ++l.steps;
  if (o.what != collective::active_mask && !(o.mask & l.bit())) {
    stop(o.what == collective::sync_warp ? "barrier divergence" : "shuffle",
         std::string("calls ") + name_of(o.what) + " with a mask that leaves it out", pc);
  }
  if (o.width == 0 || o.width > 32 || !std::has_single_bit(o.width)) {
    stop("shuffle", "the width " + std::to_string(int(o.width)) + " is no power of two up to 32",
         pc);
  }
  l.state = lane_state::meeting;
  l.group->meeting |= l.bit();
  if (o.what == collective::active_mask)
    l.group->asking |= l.bit();
  else
    complete(l);
  settle(*l.group);
  suspend();
  return l.received;
}

int block_barrier(barrier kind, int predicate, void* pc) {
  inside_machine const inside;
  lane& l = *running;
  block& b = *l.home;
  l.pc = pc;
  ++l.steps;
  l.barrier_kind = kind;
  l.predicate = predicate;
  l.state = lane_state::at_block_barrier;
  if (++b.at_barrier == b.lanes.size()) release(b);
  settle(*l.group);
  suspend();
  return int(l.received);
}

void after_exit(lane& gone) {
  warp& w = *gone.group;
  for_each(w, w.existing & ~w.exited, [&](lane& l) {
    if (l.state == lane_state::meeting && l.offered.mask & gone.bit()) complete(l);
  });
  settle(w);
}

}  // namespace simt
