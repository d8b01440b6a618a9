// SPDX-License-Identifier: Apache-2.0
//
// How a scan cuts its rows into tiles, and tiles into parts, one for each warp that scans. An array
// is one row.
#pragma once

#include <algorithm>
#include <type_traits>

#include "tally/device/grid/status_word.cuh"
#include "tally/device/input/warp_tile.cuh"
#include "tally/rows.hpp"

namespace tally::device {

// A tile by its row, and by its number in it.
template <class Rows>
struct alignas(8) tile_of {
  std::uint32_t row, number;
};
template <>
struct tile_of<one_row> {
  static constexpr std::uint32_t row = 0;
  std::uint32_t number;
};

template <class Prefix, class Source, class Rows>
struct scan_call {
  using tile_type = tile_of<Rows>;
  static constexpr bool is_of_array = std::is_same_v<Rows, one_row>;

  Source in;
  Rows rows, out_rows;  // the results of row r go to that of `out_rows`, of which only begins count
  std::uint32_t tiles;  // of a row, at least one
  bool exclusive, reverse;
  typename Prefix::result *out, *total;  // `total` may be null
  workspace w;
  Prefix prefix;

  // All tiles are counted row by row. From all_tiles() on they are in no row that there is.
  TALLY_HD std::uint32_t all_tiles() const { return std::uint32_t(rows.count) * tiles; }
  __device__ tile_type tile(std::uint32_t place) const {
    if constexpr (is_of_array)
      return {place};
    else
      return {place / tiles, place % tiles};
  }
  __device__ bool has(tile_type const& t) const {
    return is_of_array ? t.number < tiles : t.row < std::uint32_t(rows.count);
  }
  __device__ tile_type tile_of_row(std::uint32_t row, std::uint32_t number) const {
    if constexpr (is_of_array)
      return {number};
    else
      return {row, number};
  }

  // Where a row's tiles publish: a prefix sees one row.
  __device__ mailbox totals(std::uint32_t row, std::uint32_t epoch) const {
    return {w.words + std::uint64_t(row * tiles) * Prefix::words, nullptr, epoch, tiles};
  }
};

// Which elements of its row a warp's part of a tile has, as one vector in shared memory.
struct alignas(16) part_place {
  std::uint64_t first;
  std::uint32_t row, count;  // and whether the row's last is among them
  static constexpr std::uint32_t last = 1u << 31, none = ~0u;

  __device__ bool exists() const { return count != none; }
};

// A lane has `Vectors` times 16 bytes of a tile.
template <class Prefix, class Source, class Rows, int Vectors>
struct scan_tiling {
  using call_type = scan_call<Prefix, Source, Rows>;
  using element = typename Source::element;
  using result = typename Prefix::result;
  static constexpr int items = items_a_lane<element, result, Vectors>;
  using part_type = warp_tile<element, items>;
  static constexpr int part = part_type::size;  // a warp's, of a tile
  static constexpr std::size_t widest = std::max(sizeof(element), sizeof(result));
  // Of shared memory: for elements, then for results.
  static constexpr std::size_t part_bytes =
      (part * widest + vector_bytes - 1) / vector_bytes * vector_bytes;

  // A warp's part of a tile which `warps` of them scan.
  static __device__ part_place place_of(call_type const& call, tile_of<Rows> const& tile,
                                        unsigned warps, unsigned warp) {
    std::uint64_t const begin = (std::uint64_t(tile.number) * warps + warp) * part;
    std::uint64_t const n = call.rows.size(tile.row), left = begin < n ? n - begin : 0;
    auto const count = unsigned(left < part ? left : part);
    bool const last = begin + count == n && (count > 0 || begin == 0);
    return {call.reverse ? left - count : begin, tile.row, count | (last ? part_place::last : 0)};
  }
  // Its elements are, or will be, in `data`.
  static __device__ part_type part_at(call_type const& call, part_place const& at,
                                      void const* data) {
    return {static_cast<element const*>(data),
            at.first,
            at.row,
            at.count & ~part_place::last,
            (at.count & part_place::last) != 0,
            call.reverse,
            call.exclusive};
  }
  static __device__ void load(call_type const& call, part_type const& p, void* data,
                              phase_barrier& there) {
    load_ahead<part>(call.in, std::uint64_t(call.rows.begin(p.row)) + p.first, p.count,
                     static_cast<element*>(data), there);
  }
  // Stores the results, which have taken the place of the part's elements.
  template <bool GoesOn>
  static __device__ void store(call_type const& call, part_type const& p, void const* data) {
    store_results<part, GoesOn>(static_cast<result const*>(data), p.count,
                                call.out + call.out_rows.begin(p.row) + p.first);
  }
};

}  // namespace tally::device
