// SPDX-License-Identifier: Apache-2.0
//
// Pairs of a key and an index in a GPU's memory, that are to be sorted. Needs no CUDA toolkit.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tally::device {

// Keys of a width for which a sort is compiled, and memory for as many pairs again.
template <class Key>
struct pairs_to_sort {
  Key* keys[2];
  std::uint32_t* indices[2];
  std::uint64_t count;
};
template <class Bits>
using sortable = std::conditional_t<sizeof(Bits) <= 4, std::uint32_t, std::uint64_t>;

}  // namespace tally::device
