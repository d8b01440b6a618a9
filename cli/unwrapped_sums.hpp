// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tally/dynamic.hpp"

namespace tally::cli {

// Prefix sums of integers as a scan gives them, modulo 2^64, and as they are. Neighbours differ by
// an element, which 64 bits hold, so that it shows where they wrap.
class unwrapped_sums {
 public:
  // `type`: int64 or uint64; `init`: what the first element is added to, after so many `wraps`;
  // `reverse`: they are found from the last to the first, in each call, too.
  unwrapped_sums(dtype type, std::uint64_t init, std::int64_t wraps, bool reverse)
      : type_(type), before_(init), times_(wraps), reverse_(reverse) {}

  // The next that were found, in the order of the array; nothing if all are as they seem.
  std::span<__int128 const> next(std::span<std::uint64_t const> sums);

 private:
  dtype type_;
  std::uint64_t before_;
  std::int64_t times_;  // that they have wrapped
  bool reverse_;
  std::vector<__int128> exact_;

  template <class T>
  std::span<__int128 const> next_of(std::span<T const> sums);
};

}  // namespace tally::cli
