// SPDX-License-Identifier: Apache-2.0
//
// How a scan cuts its array into tiles, and tiles into parts, one for each warp that scans.
#pragma once

#include <algorithm>

#include "tally/device/grid/workspace.hpp"
#include "tally/device/input/warp_tile.cuh"

namespace tally::device {

template <class Prefix, class Source>
struct scan_call {
  Source in;
  std::uint64_t n;
  std::uint32_t tiles;  // at least one
  bool exclusive, reverse;
  typename Prefix::result *out, *total;  // `total` may be null
  workspace w;
  Prefix prefix;
};

// A lane has `Vectors` times 16 bytes of a tile.
template <class Prefix, class Source, int Vectors>
struct scan_tiling {
  using element = typename Source::element;
  using result = typename Prefix::result;
  static constexpr int items = items_a_lane<element, result, Vectors>;
  using part_type = warp_tile<element, items>;
  static constexpr int part = part_type::size;  // a warp's, of a tile
  static constexpr std::size_t widest = std::max(sizeof(element), sizeof(result));
  // Of shared memory: for elements, then for results.
  static constexpr std::size_t part_bytes =
      (part * widest + vector_bytes - 1) / vector_bytes * vector_bytes;

  // A warp's part of a tile which `warps` of them scan; its elements are, or will be, in `data`.
  static __device__ part_type part_of(scan_call<Prefix, Source> const& call, std::uint32_t tile,
                                      unsigned warps, unsigned warp, void const* data) {
    std::uint64_t const begin = (std::uint64_t(tile) * warps + warp) * part;
    std::uint64_t const left = begin < call.n ? call.n - begin : 0;
    auto const count = unsigned(left < part ? left : part);
    bool const last = begin + count == call.n && (count > 0 || begin == 0);
    return {static_cast<element const*>(data),
            call.reverse ? left - count : begin,
            count,
            last,
            call.reverse,
            call.exclusive};
  }
  static __device__ void load(scan_call<Prefix, Source> const& call, part_type const& p,
                              void* data) {
    load_ahead<part>(call.in, p.first, p.count, static_cast<element*>(data));
  }
  // Stores a lane's results, by way of the memory where the part's elements were.
  static __device__ void store(scan_call<Prefix, Source> const& call, part_type const& p,
                               items_of<result, items> const& out, void* data) {
    auto* const computed = static_cast<result*>(data);
    __syncwarp();  // the elements are used up
    p.write(out, computed);
    __syncwarp();
    store_results<part>(computed, p.count, call.out + p.first);
    __syncwarp();
  }
};

}  // namespace tally::device
