// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tally/aggregate/aggregate.hpp"

namespace support {

// Affine maps modulo 2^32, of which no two commute, made of elements and their places in the row.
struct affine {
  std::uint32_t scale, offset;
};
struct affine_of_places {
  using element = std::uint32_t;
  using state = affine;
  using result = std::uint32_t;
  static constexpr bool any_order = false;
  TALLY_FN state identity() const { return {1, 0}; }
  TALLY_FN state start(result init) const { return {1, init}; }
  TALLY_FN state lift(element x, std::uint64_t i) const {
    return {x | 1, std::uint32_t(i) * 77 + 1};
  }
  TALLY_FN state combine(state s, state t) const {
    return {s.scale * t.scale, s.offset * t.scale + t.offset};
  }
  TALLY_FN result lower(state s) const { return s.offset; }
};

static_assert(tally::aggregate<affine_of_places> && !affine_of_places::any_order);

}  // namespace support
