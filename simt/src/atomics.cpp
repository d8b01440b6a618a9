// SPDX-License-Identifier: Apache-2.0
#include "simt/atomics.hpp"

#include <array>
#include <cstring>

#include "execution.hpp"
#include "memory.hpp"

// Atomic accesses and fences: what is checked of them, when they happen, and what they order.
namespace simt {
namespace {

// What an atomic access counts as in the record of races.
touch touch_of(atomic_kind kind, int scope) {
  bool const is_wide = scope > __NV_THREAD_SCOPE_BLOCK;
  if (kind == atomic_kind::load) return is_wide ? touch::atomic_load : touch::block_load;
  return is_wide ? touch::atomic_write : touch::block_write;
}

// Whether there was a value.
bool check_atomic(space& s, std::uintptr_t address, unsigned bytes, atomic_kind kind, int scope,
                  void* pc) {
  touch const how = touch_of(kind, scope);
  site_id const site = site_of(pc);
  ++counts_of(site).atomics;
  bool const had_value = all_initialised(s.states + (address - s.base), bytes);
  touch const as = kind == atomic_kind::store ? touch::write : how;
  bool const has_value = check_states(s, address, bytes, as, false, pc);
  check_race(s, address, bytes, how, site, pc);
  if (!has_value) stop_uninitialised(s, address, bytes, how, pc);
  return had_value;
}

// The value that is in memory now.
void take_value(space& s, std::uintptr_t address, int order, int scope) {
  auto& knowledge = running->knowledge;
  knowledge.read_flag(s.flag_writes, address, order, scope);
  s.reduced.see(address, knowledge);
}

// All that is ordered before the running lane's next step.
void make_known_writes() {
  running->home->late.make_if([](atomic_write const& w) {
    return w.by == running || running->knowledge.knows(w.by->knowledge.self(), w.when);
  });
}

// Where an atomic access goes, after other lanes had their turn. Null: into local memory.
space* begin_atomic(std::uintptr_t address, unsigned bytes, atomic_kind kind, void* pc) {
  lane& l = *running;
  ++l.steps;
  l.pc = pc;
  yield(kind != atomic_kind::store && l.looks_again(address));
  if (address - stacks::bottom(l.stack) < stacks::size) return nullptr;
  touch const how = touch_of(kind, __NV_THREAD_SCOPE_SYSTEM);
  space* const s = find_space(address, bytes, how, pc);
  if (address % bytes) stop_misaligned(bytes, how, pc);
  l.home->late.before_access(address, bytes);
  return s;
}

}  // namespace

void propose(void* at, unsigned bytes, atomic_kind kind, write_step step, void const* operand,
             int order, int scope, void* pc) {
  inside_machine const inside;
  auto const address = std::uintptr_t(at);
  lane& l = *running;
  space* const s = begin_atomic(address, bytes, kind, pc);
  if (s && is_release(order)) make_known_writes();
  bool const had_value = s && check_atomic(*s, address, bytes, kind, scope, pc);
  atomic_write& w = l.proposed;
  w = {address, bytes, kind, step, {}, order, scope, had_value, false, &l, s, now(), site_of(pc)};
  std::memcpy(w.operand.data(), operand, bytes);
}

void make(atomic_write const& w) {
  void* const at = reinterpret_cast<void*>(w.address);
  if (!w.where) return w.step(at, w.operand.data());
  space& s = *w.where;
  auto& knowledge = w.by->knowledge;
  if (w.had_value) {
    s.overwritten.overwrite(at, w.size, s.flag_writes, knowledge.self(), w.when);
  } else {
    s.overwritten.forget(w.address);
  }
  if (w.kind != atomic_kind::store) knowledge.read_flag(s.flag_writes, w.address, w.order, w.scope);
  knowledge.write_flag(s.flag_writes, w.address, w.order, w.scope, w.kind != atomic_kind::store);
  if (w.is_late) s.reduced.arrive(w.address, knowledge.self(), w.when);
  std::array<unsigned char, 16> old;
  std::memcpy(old.data(), at, w.size);
  w.step(at, w.operand.data());
  if (std::memcmp(old.data(), at, w.size) != 0) note_progress();
}

// What it gives back may be too early for what was added to it, if nobody looks again.
void take(void* old) {
  inside_machine const inside;
  atomic_write& w = running->proposed;
  std::memcpy(old, reinterpret_cast<void*>(w.address), w.size);
  auto& knowledge = running->knowledge;
  if (w.where && !w.where->reduced.is_empty()) {
    reductions& r = w.where->reduced;
    bool const too_early =
        w.kind == atomic_kind::exchange && r.find_unordered(w.address, knowledge);
    r.see(w.address, knowledge);
    if (w.kind == atomic_kind::exchange) r.replace(w.address, knowledge, too_early, w.site);
  }
  make(w);
  w.step = nullptr;
}

void settle() {
  inside_machine const inside;
  lane& l = *running;
  atomic_write& w = l.proposed;
  if (!w.step) return;
  if (!w.where) return make(w);
  bool const can_wait = w.order == __NV_ATOMIC_RELAXED && is_beyond_block(w.scope) && w.had_value &&
                        !is_shared(*w.where);
  w.is_late = can_wait && is_late();
  if (w.kind == atomic_kind::update) {
    w.where->reduced.add(w.address, l.knowledge, w.site, w.is_late);
  } else {
    check_replaced(*w.where, w.address, w.size, w.site);
  }
  if (w.is_late) {
    l.home->late.add(w);
  } else {
    make(w);
  }
}

// A relaxed load may find an old value.
void atomic_load(void const* at, void* to, unsigned bytes, int order, int scope, void* pc) {
  inside_machine const inside;
  auto const address = std::uintptr_t(at);
  space* const s = begin_atomic(address, bytes, atomic_kind::load, pc);
  if (s) check_atomic(*s, address, bytes, atomic_kind::load, scope, pc);
  old_value const* const old = s && order == __NV_ATOMIC_RELAXED
                                   ? s->overwritten.find(address, bytes, running->knowledge)
                                   : nullptr;
  if (old && finds_old()) {
    running->knowledge.receive(old->flag, order, scope);
    at = old->bytes.data();
  } else if (s) {
    take_value(*s, address, order, scope);
    s->overwritten.see_newest(address, running->knowledge);
  }
  std::memcpy(to, at, bytes);
}

void compare_exchange(void* at, void const* expected, void const* x, void* found, unsigned bytes,
                      int order, int failure_order, int scope, void* pc) {
  inside_machine const inside;
  auto const address = std::uintptr_t(at);
  space* const s = begin_atomic(address, bytes, atomic_kind::update, pc);
  std::memcpy(found, at, bytes);
  bool const equal = std::memcmp(at, expected, bytes) == 0;
  auto const kind = equal ? atomic_kind::update : atomic_kind::load;
  if (s && equal && is_release(order)) make_known_writes();
  bool const had_value = s && check_atomic(*s, address, bytes, kind, scope, pc);
  if (s) take_value(*s, address, equal ? order : failure_order, scope);
  if (s && !equal) s->overwritten.see_newest(address, running->knowledge);
  if (!equal) return;
  auto const step = [](void* to, void const*) {
    auto const& w = running->proposed;
    std::memcpy(to, w.operand.data(), w.size);
  };
  atomic_write& w = running->proposed;
  w = {address,   bytes, kind,    step, {},    order,      scope,
       had_value, false, running, s,    now(), site_of(pc)};
  std::memcpy(w.operand.data(), x, bytes);
  make(w);
  w.step = nullptr;
}

void fence(int order, int scope) {
  inside_machine const inside;
  ++running->steps;
  if (is_release(order)) make_known_writes();
  running->knowledge.fence(order, scope);
  if (order != __NV_ATOMIC_SEQ_CST) return;
  for (space* s : {(space*)running->home->global, (space*)running->home->shared,
                   (space*)&program_variables()}) {
    s->overwritten.forget();  // more than it must: only what is before fences is seen after them
  }
}

}  // namespace simt
