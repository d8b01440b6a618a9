// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <cstring>

#include "execution.hpp"
#include "findings.hpp"
#include "symbols.hpp"

namespace tally {

// The dynamic shared memory of tally/launch.cuh: as much as any launch may ask for.
alignas(1024) thread_local unsigned char tally_dynamic_shared[227 << 10];

}  // namespace tally

namespace simt {
namespace {

// Over at most 16 bytes: what all their states have in common.
unsigned common_state(std::uint8_t const* states, std::size_t bytes) {
  unsigned common = initialised | freed;
  for (std::size_t i = 0; i < bytes; ++i) common &= states[i];
  return common;
}
bool all_initialised(std::uint8_t const* states, std::size_t bytes) {
  if (bytes == 4) {
    std::uint32_t four;
    std::memcpy(&four, states, 4);
    return four == 0x03030303;
  }
  return common_state(states, bytes) == initialised;
}

bool is_shared(space const& s) { return &s == running->home->shared; }

std::string describe(space const& s, std::uintptr_t address) {
  if (is_shared(s)) return running->home->shared->describe(address);
  return &s == &global_memory() ? global_memory().describe(address) : "a variable of the program";
}

char const* verb(touch t) {
  static constexpr char const* verbs[] = {"reads", "atomically reads", "atomically changes",
                                          "writes"};
  return verbs[int(t)];
}

std::string bytes_text(touch how, std::size_t bytes) {
  return std::string(verb(how)) + ' ' + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

[[noreturn]] void stop_out_of_bounds(std::size_t bytes, touch how, void* pc,
                                     std::string const& where) {
  stop("out of bounds", bytes_text(how, bytes) + ": " + where, pc);
}

[[noreturn]] void stop_misaligned(std::size_t bytes, touch how, void* pc) {
  stop("misaligned", bytes_text(how, bytes) + " at an address that is not a multiple of that", pc);
}

// The space of an address; stops where there is none. Null: of no interest.
space* find_space(std::uintptr_t address, std::size_t bytes, touch how, void* pc) {
  lane const& l = *running;
  if (l.home->global->contains(address, bytes)) return l.home->global;
  if (l.home->shared->contains(address, bytes)) return l.home->shared;
  if (program_variables().contains(address, bytes)) return &program_variables();
  if (how == touch::read && is_program_constant(address)) return nullptr;
  auto const arguments = std::uintptr_t(l.home->request->arguments);
  if (how == touch::read && address - arguments < l.home->request->argument_bytes) return nullptr;
  stop_out_of_bounds(
      bytes, how, pc,
      stacks::contains(address) ? "local memory of another lane" : "memory of the host");
}

// Checks bounds, marks what is written, and returns whether what is read was.
bool check_states(space& s, std::uintptr_t address, std::size_t bytes, touch how, bool is_range,
                  void* pc) {
  std::uint8_t* const states = s.states + (address - s.base);
  if (all_initialised(states, bytes)) return true;
  if (&s == &program_variables()) program_variables().find_variable(address);
  std::size_t fresh = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (!(states[i] & allocated)) {
      stop_out_of_bounds(bytes, how, pc, describe(s, address + i));
    }
    fresh += states[i] != initialised;
  }
  if (how != touch::write) return is_range ? fresh < bytes : !fresh;  // a struct's padding may be
  if (is_shared(s)) running->home->shared->first_write(address);
  std::memset(states, initialised, bytes);
  return true;
}

[[noreturn]] void stop_uninitialised(space const& s, std::uintptr_t address, std::size_t bytes,
                                     touch how, void* pc) {
  stop_later(bytes_text(how, bytes) + " that nothing has written: " + describe(s, address), pc);
}

void check_race(space& s, std::uintptr_t address, std::size_t bytes, touch how, site_id site,
                void* pc) {
  lane& l = *running;
  auto const other = s.races->add(address - s.base, bytes, l.knowledge, how, site);
  if (!other) return;
  static constexpr char const* did[] = {"read", "atomically read", "atomically changed", "wrote"};
  stop("race",
       bytes_text(how, bytes) + " (" + describe(s, address) + ") that " + name_of(other->lane, l) +
           ' ' + did[int(other->how)] + " at " + text_of(pc_of(other->site)) +
           ", and nothing orders the two",
       pc);
}

void count_access(space& s, std::uintptr_t address, std::size_t bytes, bool writes, site_id site) {
  lane& l = *running;
  if (!is_shared(s)) {
    counts& c = counts_of(site);
    (writes ? c.bytes_written : c.bytes_read) += bytes;
  }
  std::size_t const piece = bytes <= 16 ? bytes : bytes % 4 ? 1 : 4;
  for (std::size_t i = 0; i < bytes; i += piece) {
    l.group->requests.add(l, address - s.base + i, piece, is_shared(s), site);
  }
}

}  // namespace

void see(void* at, std::size_t bytes, access_kind kind, void* pc) {
  if (!watching) return;
  lane& l = *running;
  auto const address = std::uintptr_t(at);
  if (address - stacks::bottom(l.stack) < stacks::size) return;
  inside_machine const inside;
  ++l.steps;
  l.pc = pc;
  bool const writes = unsigned(kind) % 2;
  bool const is_volatile = kind >= access_kind::volatile_read;
  bool const is_range = kind == access_kind::range_read || kind == access_kind::range_write;
  touch how = writes ? touch::write : touch::read;
  space* const s = find_space(address, bytes, how, pc);
  if (!s) return;
  if (!is_range && address % bytes) {
    stop_misaligned(bytes, how, pc);
  }
  if (is_volatile) yield(!writes);
  site_id const site = site_of(pc);
  count_access(*s, address, bytes, writes, site);
  bool const has_value = check_states(*s, address, bytes, how, is_range, pc);
  if (is_volatile && writes) note_progress();
  if (is_volatile && !is_shared(*s)) {
    how = writes ? touch::atomic_write : touch::atomic_load;
    if (writes) {
      l.knowledge.write_flag(s->flag_writes, address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM,
                             false);
    } else {
      l.knowledge.read_flag(s->flag_writes, address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    }
  }
  check_race(*s, address, bytes, how, site, pc);
  if (!has_value) stop_uninitialised(*s, address, bytes, how, pc);
}

void before_atomic(void const* at, unsigned bytes, atomic_kind kind, int order, int scope,
                   void* pc) {
  inside_machine const inside;
  lane& l = *running;
  auto const address = std::uintptr_t(at);
  touch const how = kind == atomic_kind::load ? touch::atomic_load : touch::atomic_write;
  ++l.steps;
  l.pc = pc;
  yield(kind != atomic_kind::store);
  if (address - stacks::bottom(l.stack) < stacks::size) return;
  space* const s = find_space(address, bytes, how, pc);
  if (address % bytes) {
    stop_misaligned(bytes, how, pc);
  }
  site_id const site = site_of(pc);
  ++counts_of(site).atomics;
  touch const as = kind == atomic_kind::store ? touch::write : how;
  bool const has_value = check_states(*s, address, bytes, as, false, pc);
  check_race(*s, address, bytes, how, site, pc);
  if (!has_value) stop_uninitialised(*s, address, bytes, how, pc);
  if (kind != atomic_kind::store) l.knowledge.read_flag(s->flag_writes, address, order, scope);
  if (kind != atomic_kind::load) {
    l.knowledge.write_flag(s->flag_writes, address, order, scope, kind == atomic_kind::update);
  }
}

void after_atomic(void const*, atomic_kind, bool changed) {
  if (changed) note_progress();
}

void fence(int scope) {
  inside_machine const inside;
  ++running->steps;
  running->knowledge.fence(scope);
}

}  // namespace simt
