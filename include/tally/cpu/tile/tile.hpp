// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tally/aggregate/zipped.hpp"
#include "tally/cpu/elements.hpp"
#include "tally/cpu/tile/prefetch.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/where.hpp"

namespace tally {

// A run of at most `size` elements, as accumulators see it: forward, or (step = -1) a copy of the
// run turned round. `vector_bytes` is the width of a vector where it is processed.
template <class T, nan_policy Nan, int VectorBytes, int Size = 512>
struct tile {
  using element = T;
  static constexpr int size = Size, vector_bytes = VectorBytes;
  static constexpr bool skips = Nan == skip && has_nan<T>;
  run_of<T> data;
  int count;
  std::uint64_t first;
  int step = 1;
  bool stays = false;  // whether `data` stays valid until the accumulator is flushed

  TALLY_FN T operator[](int k) const { return data[k]; }
  TALLY_FN bool live(int k) const {
    if constexpr (skips) return !is_nan(data[k]);
    return true;
  }
  TALLY_FN std::uint64_t index(int k) const {
    return first + std::uint64_t(std::int64_t(k) * step);
  }
};

namespace detail {

// How many elements a tile has in a reduction: enough to amortise the check and the deposit after
// each tile, and so few that they seldom span too many binades.
template <class T>
inline constexpr int reduced_at_once = run_size;
template <element T>
inline constexpr int reduced_at_once<T> = sizeof(T) == 8   ? 512
                                          : sizeof(T) == 2 ? 2048
                                                           : 1024;

// Room for elements that come later: without it, 16-bit ones would first be set to zero.
template <class T, int Size>
union room_for {
  T values[Size];
  TALLY_FN room_for() {}
};

// Independent lanes for a tile loop: enough to hide the latency of an addition at any vector width.
inline constexpr int lanes = 32;

// Whether so many elements are within the page where they begin. Only there does a loop read less
// than that by masked loads: beside a page that is not mapped, one takes the processor 100 ns.
template <class T>
TALLY_CPU_FN bool within_page(T const* from, int count) {
  constexpr std::uintptr_t page = 4096;
  return reinterpret_cast<std::uintptr_t>(from) % page + std::uintptr_t(count) * sizeof(T) <= page;
}
template <class Run>
TALLY_CPU_FN bool within_page(Run const&, int) {
  return false;
}

// Calls f(p) for every group of Size elements; a last, incomplete group comes from a copy that is
// filled up with `fill`. It prefetches some elements `farther` ahead than other loops do.
template <int Size, class Tile, class F>
TALLY_CPU_FN void for_each_group(Tile const& t, typename Tile::element fill, F&& f,
                                 int farther = 0) {
  int const whole = t.count / Size * Size;
  for (int k = 0; k < whole; k += Size) {
    fetch_ahead(t.data + k + farther, Size * sizeof(typename Tile::element));
    f(t.data + k);
  }
  if (whole == t.count) return;
  typename Tile::element rest[Size];
  auto const last = t.data + whole;
  int const left = t.count - whole;
  if (within_page(last, Size)) {
    TALLY_CPU_ROLL
    for (int k = 0; k < Size; ++k) rest[k] = k < left ? last[k] : fill;
  } else {
    for (auto& x : rest) x = fill;
    for (int k = 0; k < left; ++k) rest[k] = last[k];
  }
  f(rest);
}

// How much farther ahead a loop prefetches whose own tile has been read before: from the next tile
// (of 4 KiB).
template <class Tile>
inline constexpr int next_tile = Tile::size / 2;

// Calls f(k, lane) for the tile's elements, in an order that vectorises.
template <class Tile, class F>
TALLY_CPU_FN void for_each_lane(Tile const& t, F&& f) {
  int const whole = t.count / lanes * lanes;
  for (int k = 0; k < whole; k += lanes) {
    if constexpr (std::is_pointer_v<decltype(t.data)>) fetch_ahead(t.data + k, lanes * sizeof t[0]);
    for (int lane = 0; lane < lanes; ++lane) f(k + lane, lane);
  }
  for (int k = whole; k < t.count; ++k) f(k, k - whole);
}

}  // namespace detail
}  // namespace tally
