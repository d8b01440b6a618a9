// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <array>
#include <cstring>

#include "execution.hpp"
#include "findings.hpp"
#include "simt/cached.hpp"
#include "symbols.hpp"

namespace tally {

// The dynamic shared memory of tally/cuda/launch.cuh: as much as any launch may ask for.
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

std::string describe(space const& s, std::uintptr_t address) {
  if (is_shared(s)) return running->home->shared->describe(address);
  return &s == &global_memory() ? global_memory().describe(address) : "a variable of the program";
}

char const* verb(touch t) {
  static constexpr char const* verbs[] = {"reads",
                                          "atomically reads",
                                          "atomically changes",
                                          "writes",
                                          "atomically (for its block) reads",
                                          "atomically (for its block) changes"};
  return verbs[int(t)];
}

std::string bytes_text(touch how, std::size_t bytes) {
  return std::string(verb(how)) + ' ' + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

[[noreturn]] void stop_out_of_bounds(std::size_t bytes, touch how, void* pc,
                                     std::string const& where) {
  stop("out of bounds", bytes_text(how, bytes) + ": " + where, pc);
}

}  // namespace

bool all_initialised(std::uint8_t const* states, std::size_t bytes) {
  if (bytes == 4) {
    std::uint32_t four;
    std::memcpy(&four, states, 4);
    return four == 0x03030303;
  }
  return common_state(states, bytes) == initialised;
}

bool is_shared(space const& s) { return &s == running->home->shared; }

void stop_misaligned(std::size_t bytes, touch how, void* pc) {
  stop("misaligned", bytes_text(how, bytes) + " at an address that is not a multiple of that", pc);
}

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

void stop_uninitialised(space const& s, std::uintptr_t address, std::size_t bytes, touch how,
                        void* pc) {
  stop_later(bytes_text(how, bytes) + " that nothing has written: " + describe(s, address), pc);
}

void check_race(space& s, std::uintptr_t address, std::size_t bytes, touch how, site_id site,
                void* pc) {
  lane& l = *running;
  auto const other = s.races->add(address - s.base, bytes, l.knowledge, how, site);
  if (!other) return;
  static constexpr char const* did[] = {"read",
                                        "atomically read",
                                        "atomically changed",
                                        "wrote",
                                        "atomically (for its block) read",
                                        "atomically (for its block) changed"};
  stop("race",
       bytes_text(how, bytes) + " (" + describe(s, address) + ") that " + name_of(other->lane, l) +
           ' ' + did[int(other->how)] + " at " + text_of(pc_of(other->site)) +
           ", and nothing orders the two",
       pc);
}

void check_replaced(space& s, std::uintptr_t address, std::size_t bytes, site_id site) {
  if (s.reduced.is_empty()) return;
  lane& l = *running;
  auto const* const other = s.reduced.find_unordered(address, l.knowledge);
  if (other) {
    stop("race",
         "replaces " + std::to_string(bytes) + " bytes (" + describe(s, address) + ") that " +
             name_of(other->lane, l) + " atomically changed at " + text_of(pc_of(other->site)) +
             ", and nothing orders the two",
         pc_of(site));
  }
  s.reduced.replace(address, l.knowledge, false, site);
}

namespace {

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

// Atomics are of 2 bytes or more.
void take_values(space& s, std::uintptr_t address, std::size_t bytes) {
  for (std::uintptr_t at = address & ~std::uintptr_t(1); at < address + bytes; at += 2)
    s.reduced.see(at, running->knowledge);
}

}  // namespace

void look_at(void* at, std::size_t bytes, access_kind kind, void* pc) {
  lane& l = *running;
  auto const address = std::uintptr_t(at);
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
  if (is_volatile) yield(!writes && l.looks_again(address));
  l.home->late.before_access(address, bytes);
  if (s->reduced.has_losses()) take_values(*s, address, bytes);
  site_id const site = site_of(pc);
  if (counts_requests()) count_access(*s, address, bytes, writes, site);
  bool const has_value = check_states(*s, address, bytes, how, is_range, pc);
  if (is_volatile && writes) note_progress();
  if (is_volatile && !is_shared(*s)) {
    how = writes ? touch::atomic_write : touch::atomic_load;
    if (writes) {
      check_replaced(*s, address, bytes, site);
      l.knowledge.write_flag(s->flag_writes, address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM,
                             false);
    } else {
      s->reduced.see(address, l.knowledge);
      l.knowledge.read_flag(s->flag_writes, address, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
    }
  }
  check_race(*s, address, bytes, how, site, pc);
  if (!has_value) stop_uninitialised(*s, address, bytes, how, pc);
}

void see_again(void* at, std::size_t bytes, access_kind kind, void* pc) {
  if (!bytes) return;
  inside_machine const inside;
  auto const address = std::uintptr_t(at);
  bool const is_range = kind == access_kind::range_read || kind == access_kind::range_write;
  touch const how = unsigned(kind) % 2 ? touch::write : touch::read;
  space* const s = find_space(address, bytes, how, pc);
  if (!s) return;
  running->home->late.before_access(address, bytes);
  bool const has_value = check_states(*s, address, bytes, how, is_range, pc);
  check_race(*s, address, bytes, how, site_of(pc), pc);
  if (!has_value) stop_uninitialised(*s, address, bytes, how, pc);
}

void before_cached(void const* at, unsigned bytes, cached kind, void* pc) {
  auto const address = std::uintptr_t(at);
  see(const_cast<void*>(at), bytes, kind == cached::store ? access_kind::write : access_kind::read,
      pc);
  inside_machine const inside;
  space& s = *running->home->global;
  bool const is_local = address - stacks::bottom(running->stack) < stacks::size;
  if (is_local || running->home->shared->contains(address, bytes)) {
    stop_out_of_bounds(bytes, kind == cached::store ? touch::write : touch::read, pc,
                       "a load or store for global memory, but " +
                           (is_local ? "local memory" : describe(*running->home->shared, address)));
  }
  if (kind != cached::read_only_load || !s.contains(address, bytes)) return;
  if (s.races->is_written(address - s.base, bytes)) {
    stop("race", "reads with __ldg what this launch writes: the cache may hold an older value", pc);
  }
}

void report_losses(space const& s, launch_request const& of) {
  auto const* const lost = s.reduced.find_loss();
  if (!lost) return;
  auto const& [reduction, exchange] = *lost;
  record(exchange.lane, "race",
         "exchanges what " + name_of(reduction.lane, exchange.lane, of) +
             " atomically changed at " + text_of(pc_of(reduction.site)) +
             ": nothing orders the two, and nobody looks there after both",
         pc_of(exchange.site));
}

}  // namespace simt
