// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "counting.hpp"
#include "execution.hpp"
#include "spaces.hpp"

namespace simt {

// A range is a struct, or not aligned as its size would have it.
enum class access_kind { read, write, range_read, range_write, volatile_read, volatile_write };

// The running lane is about to access memory beyond its own; returns only if it may.
void look_at(void* address, std::size_t bytes, access_kind, void* pc);
// About to access any memory. Nothing happens if no lane runs.
inline void see(void* address, std::size_t bytes, access_kind kind, void* pc) {
  if (!watching || !bytes) return;
  if (std::uintptr_t(address) - stacks::bottom(running->stack) < stacks::size) return;
  look_at(address, bytes, kind, pc);
}
// Likewise, of an access that was seen and counted when it began.
void see_again(void* address, std::size_t bytes, access_kind, void* pc);

// The checks that see() puts in order, for accesses that want another order.

// The space of an address; stops where there is none. Null: of no interest.
space* find_space(std::uintptr_t address, std::size_t bytes, touch, void* pc);
// Checks bounds, marks what is written, and returns whether what is read was.
bool check_states(space&, std::uintptr_t address, std::size_t bytes, touch, bool is_range,
                  void* pc);
void check_race(space&, std::uintptr_t address, std::size_t bytes, touch, site_id, void* pc);
// A store, or an exchange whose result nobody uses, throws away what is in the word.
void check_replaced(space&, std::uintptr_t address, std::size_t bytes, site_id);
bool all_initialised(std::uint8_t const* states, std::size_t bytes);
bool is_shared(space const&);
[[noreturn]] void stop_misaligned(std::size_t bytes, touch, void* pc);
[[noreturn]] void stop_uninitialised(space const&, std::uintptr_t address, std::size_t bytes, touch,
                                     void* pc);

struct launch_request;
// Exchanges that may have come too early, when nobody can look any more.
void report_losses(space const&, launch_request const&);

}  // namespace simt
