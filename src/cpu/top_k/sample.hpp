// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tally::detail {

// A multiple of the root of n: work that vanishes beside one read, splitters that tighten with n.
inline std::uint64_t sample_size(std::uint64_t n, std::uint64_t roots) {
  return std::min({std::uint64_t(1) << 16, n / 4, roots * std::uint64_t(std::sqrt(double(n)))});
}

// The position of sample i of `samples`, among n elements: one, hashed, in each of `samples` equal
// strata, so that no two coincide and no period in the data is met. n < 2^48, samples <= 2^16, n.
inline std::uint64_t sample_position(std::uint64_t i, std::uint64_t samples, std::uint64_t n) {
  std::uint64_t const begin = i * n / samples, end = (i + 1) * n / samples;
  std::uint64_t hash = (i + 1) * 0x9e3779b97f4a7c15;  // splitmix64
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
  return begin + (hash ^ hash >> 31) % (end - begin);
}

}  // namespace tally::detail
