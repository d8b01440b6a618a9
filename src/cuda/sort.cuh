// SPDX-License-Identifier: Apache-2.0
//
// A stable sort of pairs on a GPU: CUB's radix sort.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "tally/device/grid/workspace.hpp"

namespace tally {

// How many bytes of scratch a sort of so many pairs needs, whose keys have 4 or 8 bytes.
std::size_t scratch_of_sort(std::uint64_t count, std::size_t key_bytes);

// Sorts so that larger keys come first, of which only the low `bits` differ; asynchronously.
// Returns which of the two places has the pairs then.
int sort_pairs(device::pairs_to_sort<std::uint32_t> const& pairs, int bits, std::byte* scratch,
               std::size_t scratch_bytes, cudaStream_t stream);
int sort_pairs(device::pairs_to_sort<std::uint64_t> const& pairs, int bits, std::byte* scratch,
               std::size_t scratch_bytes, cudaStream_t stream);

}  // namespace tally
