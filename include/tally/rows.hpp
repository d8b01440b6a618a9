// SPDX-License-Identifier: Apache-2.0
//
// Rows of an array, each of which is one problem.
#pragma once

#include <cstdint>

#include "tally/types.hpp"

namespace tally {

// Row r begins at data + r * stride and has `length` elements; or, if these arrays are there, it
// begins starts[r] elements further on, and has lengths[r], at most `length`. They lie where the
// data lie: a gpu's are read when the call runs, and no length need come to the host.
template <class T>
struct rows {
  using element = T;

  T const* data;
  std::uint64_t count, length;
  std::uint64_t stride = length;
  std::int64_t const* starts = nullptr;
  std::int64_t const* lengths = nullptr;
};
template <class T>
rows(T const*, std::uint64_t, std::uint64_t) -> rows<T>;
template <class T>
rows(T const*, std::uint64_t, std::uint64_t, std::uint64_t) -> rows<T>;
template <class T>
rows(T const*, std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t const*) -> rows<T>;
template <class T>
rows(T const*, std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t const*,
     std::int64_t const*) -> rows<T>;

// A k for each row, in memory like that of the rows, and the largest that there may be: each row
// has so many places in the outputs.
struct k_of_rows {
  std::int64_t const* each;
  std::uint64_t most;
};

}  // namespace tally
