// SPDX-License-Identifier: Apache-2.0
#include "copies.hpp"

#include <cstring>

#include "cuda_pipeline.h"
#include "execution.hpp"
#include "memory.hpp"

namespace simt {
namespace {

void finish(pending_copy const& c) {
  std::size_t const copied = c.bytes - c.zeros;
  see_again(const_cast<void*>(c.from), copied, access_kind::range_read, c.pc);
  see_again(c.to, c.bytes, access_kind::write, c.pc);
  inside_machine const inside;
  std::memcpy(c.to, c.from, copied);
  std::memset(static_cast<char*>(c.to) + copied, 0, c.zeros);
}

}  // namespace

// The accesses are checked now and when the copy ends: it may happen at any time between.
void start_copy(void* to, void const* from, std::size_t bytes, std::size_t zeros, void* pc) {
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
    inside_machine const inside;
    stop("misaligned", "an asynchronous copy is of 4, 8 or 16 bytes", pc);
  }
  bool const is_whole = zeros == 0;
  see(const_cast<void*>(from), bytes - zeros,
      is_whole ? access_kind::read : access_kind::range_read, pc);
  see(to, bytes, access_kind::write, pc);
  inside_machine const inside;
  if (!running->home->shared->contains(std::uintptr_t(to), bytes)) {
    stop("out of bounds", "an asynchronous copy goes to shared memory only", pc);
  }
  running->home->shared->lose_value(std::uintptr_t(to), bytes);
  running->copies.started.push_back({to, from, bytes, zeros, pc});
}

void commit_copies() {
  inside_machine const inside;
  auto& [started, groups] = running->copies;
  groups.push_back(std::move(started));
  started.clear();
}

void wait_for_copies(std::size_t all_but) {
  auto& groups = running->copies.groups;
  while (groups.size() > all_but) {
    for (auto const& c : groups.front()) finish(c);
    inside_machine const inside;
    groups.pop_front();
  }
}

}  // namespace simt
