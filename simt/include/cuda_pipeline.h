// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands in for the toolkit's header of this name: copies from global to shared memory that happen
// while the lane goes on (cp.async). Here they happen when the lane waits for them; until then
// nobody may read where they go, nor write where they come from.
#include <cstddef>

#include "simt/device.hpp"

namespace simt {

void start_copy(void* to, void const* from, std::size_t bytes, std::size_t zeros, void* pc);
void commit_copies();
void wait_for_copies(std::size_t all_but);

}  // namespace simt

SIMT_CALL inline void __pipeline_memcpy_async(void* to, void const* from, std::size_t bytes,
                                              std::size_t zeros = 0) {
  simt::start_copy(to, from, bytes, zeros, SIMT_HERE);
}
inline void __pipeline_commit() { simt::commit_copies(); }
inline void __pipeline_wait_prior(std::size_t all_but) { simt::wait_for_copies(all_but); }
