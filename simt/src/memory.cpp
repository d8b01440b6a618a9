// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include "execution.hpp"

namespace tally {

// The dynamic shared memory of tally/launch.cuh: as much as any launch may ask for.
alignas(1024) thread_local unsigned char tally_dynamic_shared[227 << 10];

}  // namespace tally

namespace simt {

void see(void* address, std::size_t, access_kind kind, void* pc) {
  if (!running || stacks::contains(std::uintptr_t(address))) return;
  ++running->steps;
  running->pc = pc;
  if (kind == access_kind::volatile_write) note_progress();
  if (kind == access_kind::volatile_read) yield(true);
}

void before_atomic(void const*, unsigned, atomic_kind kind, int, int, void* pc) {
  ++running->steps;
  running->pc = pc;
  yield(kind == atomic_kind::load);
}
void after_atomic(void const*, atomic_kind, bool changed) {
  if (changed) note_progress();
}
void fence(int) { ++running->steps; }

std::vector<kernel_counts> take_counts() { return {}; }
void count_application() {}

}  // namespace simt
