// SPDX-License-Identifier: Apache-2.0
//
// An input of one's own, which has a member that an array has, too: its elements are other ones.
#pragma once

#include <cstdint>

namespace support {

struct doubled {
  using element = std::uint32_t;
  std::uint32_t const* data;
  std::uint64_t count;
  __host__ __device__ std::uint64_t size() const { return count; }
  __host__ __device__ std::uint32_t operator[](std::uint64_t i) const { return 2 * data[i]; }
};

}  // namespace support
