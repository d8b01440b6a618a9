// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <string>

#include "ladder/rung.hpp"

namespace ladder {

// Elements at an address that may not be aligned for them.
template <class T>
class elements {
 public:
  explicit elements(std::span<std::byte const> bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size() / sizeof(T); }
  T operator[](std::size_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof value);
    return value;
  }

 private:
  std::span<std::byte const> bytes_;
};

// `out` holds the one result of reducing `in` by given.op, as ladder/operators.cuh defines it. All
// of it bit for bit, but for sums of `hard` floats: those within n * 2^-24 * sum |x|.
judgement judge_reduction(outcome const& run);

std::size_t result_bytes(operation op, element type);

// "expected 3, found 4"
std::string unlike(double expected, double found);
std::string unlike(long long expected, long long found);

}  // namespace ladder
