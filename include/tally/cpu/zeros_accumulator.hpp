// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/cpu/tile/tile.hpp"

namespace tally::detail {

// Counts a tile's zeros in integers of an element's size, which may be bytes.
template <element T>
struct zeros_accumulator {
  using state = typename zeros<T>::state;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, state& s) {
    static_assert(Tile::size / lanes < 256);
    bits_of<T> zero[lanes] = {}, dead[lanes] = {};
    for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
      zero[lane] += zeros<T>::is_zero(t[k]);
      dead[lane] += !t.live(k);
    });
    s.count += std::uint64_t(t.count);
    for (auto const n : zero) s.zero += n;
    for (auto const n : dead) s.count -= n;
  }
  void flush(state&) const {}
};

}  // namespace tally::detail
