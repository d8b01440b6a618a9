// SPDX-License-Identifier: Apache-2.0
#include "src/cuda/sort.cuh"

#include <cub/device/device_radix_sort.cuh>

#include "tally/cuda/cuda_error.cuh"

namespace tally {
namespace {

// Without scratch, only says how much it needs.
template <class Key>
int sort(device::pairs_to_sort<Key> const& pairs, int bits, void* scratch, std::size_t& bytes,
         cudaStream_t stream) {
  cub::DoubleBuffer<Key> keys(pairs.keys[0], pairs.keys[1]);
  cub::DoubleBuffer<std::uint32_t> indices(pairs.indices[0], pairs.indices[1]);
  check(cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, keys, indices,
                                                  std::int64_t(pairs.count), 0, bits, stream));
  return indices.selector;
}

}  // namespace

std::size_t scratch_of_sort(std::uint64_t count, std::size_t key_bytes) {
  std::size_t bytes = 0;
  if (key_bytes == sizeof(std::uint32_t))
    sort(device::pairs_to_sort<std::uint32_t>{{}, {}, count}, 32, nullptr, bytes, nullptr);
  else
    sort(device::pairs_to_sort<std::uint64_t>{{}, {}, count}, 64, nullptr, bytes, nullptr);
  return bytes;
}

int sort_pairs(device::pairs_to_sort<std::uint32_t> const& pairs, int bits, std::byte* scratch,
               std::size_t scratch_bytes, cudaStream_t stream) {
  return sort(pairs, bits, scratch, scratch_bytes, stream);
}
int sort_pairs(device::pairs_to_sort<std::uint64_t> const& pairs, int bits, std::byte* scratch,
               std::size_t scratch_bytes, cudaStream_t stream) {
  return sort(pairs, bits, scratch, scratch_bytes, stream);
}

}  // namespace tally
