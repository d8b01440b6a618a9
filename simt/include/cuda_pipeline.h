// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stands in for the toolkit's header of this name: copies from global to shared memory that happen
// while the lane goes on (cp.async). Here they happen when the lane waits for them; until then
// nobody may read where they go, nor write where they come from.
#include <cstddef>
#include <cstdint>

#include "simt/device.hpp"

namespace simt {

void start_copy(void* to, void const* from, std::size_t bytes, std::size_t zeros, void* pc);
void commit_copies();
void wait_for_copies(std::size_t all_but);
void arrive_when_copied(std::uint64_t* barrier, void* pc);

}  // namespace simt

SIMT_CALL inline void __pipeline_memcpy_async(void* to, void const* from, std::size_t bytes,
                                              std::size_t zeros = 0) {
  simt::start_copy(to, from, bytes, zeros, SIMT_HERE);
}
inline void __pipeline_commit() { simt::commit_copies(); }
inline void __pipeline_wait_prior(std::size_t all_but) { simt::wait_for_copies(all_but); }
// For a barrier of <cuda/ptx>.
SIMT_CALL inline void __pipeline_arrive_on(std::uint64_t* barrier) {
  simt::arrive_when_copied(barrier, SIMT_HERE);
}
