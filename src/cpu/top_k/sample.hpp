// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tally::detail {

// The size of a sample is a multiple of the root of n: its work vanishes beside one read, and its
// splitters tighten with n.
inline std::uint64_t sample_size(std::uint64_t n, std::uint64_t roots) {
  return std::min({std::uint64_t(1) << 16, n / 4, roots * std::uint64_t(std::sqrt(double(n)))});
}

// `samples` equal parts of n elements, and in each the position of a sample, hashed, so that no two
// coincide and no period in the data is met. n < 2^48, 0 < samples <= n.
class strata {
 public:
  strata(std::uint64_t n, std::uint64_t samples) : width_((wide(n) << 64) / samples) {}

  std::uint64_t sample(std::uint64_t i) const {
    std::uint64_t const begin = this->begin(i);
    std::uint64_t hash = (i + 1) * 0x9e3779b97f4a7c15;  // splitmix64 (Steele, Lea and Flood, 2014)
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
    return begin + std::uint64_t(wide(hash) * (this->begin(i + 1) - begin) >> 64);
  }

 private:
  __extension__ using wide = unsigned __int128;
  wide width_;  // times 2^64: divisions would take longer than the rest
  std::uint64_t begin(std::uint64_t i) const { return std::uint64_t(width_ * i >> 64); }
};

}  // namespace tally::detail
