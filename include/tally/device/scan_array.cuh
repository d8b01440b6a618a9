// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a scan of a whole array.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/prefix/prefix.cuh"
#include "tally/device/scan.cuh"
#include "tally/device/scan_shape.hpp"
#include "tally/input.hpp"

namespace tally::detail {

// How many warps of a block scan, and in how many blocks.
struct scan_grid {
  unsigned warps;
  std::uint64_t tiles;
  unsigned blocks;
};

// As few warps as give each block a tile, all at the same time; if there are more tiles, the most.
// A warp has `part` elements of a tile, and a block has a few warps more, which carry.
inline scan_grid scan_grid_for(std::uint64_t n, std::uint64_t part, unsigned most,
                               unsigned multiprocessors) {
  auto const tiles_of = [&](unsigned warps) {
    return std::max<std::uint64_t>((n + warps * part - 1) / (warps * part), 1);
  };
  if (tiles_of(most) == 1)
    return {unsigned(std::max<std::uint64_t>((n + part - 1) / part, 1)), 1, 1};
  constexpr unsigned more = device::carrying_warps;
  for (unsigned warps = std::min(5u, most);; warps = std::min(2 * warps + more, most)) {
    std::uint64_t const tiles = tiles_of(warps);
    std::uint64_t const room = multiprocessors * ((most + more) / (warps + more));
    if (tiles <= room || warps == most) return {warps, tiles, unsigned(std::min(tiles, room))};
  }
}

// Scans `in`, in memory that the device can read, into out[0, n); asynchronously. *total (or null)
// takes the result over everything. `out` may be the array that `in` reads.
template <launch_context Context, aggregate A, input In>
void scan_on_gpu(Context& context, A const& a, nan_policy nan, In const& in,
                 typename A::result* out, gpu_scan<typename A::result> const& how) {
  bool const skips = nan == skip && has_nan<typename A::element>;
  auto const source = device::source_of(in);
  using source_type = std::remove_const_t<decltype(source)>;
  auto const prefix = device::prefix_for<A>::make(a, skips, how.reverse, how.init);
  using prefix_type = std::remove_const_t<decltype(prefix)>;
  using tiling = device::scan_tiling<prefix_type, source_type>;
  std::uint64_t const n = in.size();
  auto const grid = scan_grid_for(n, tiling::part, prefix_type::threads / warp_size,
                                  unsigned(context.multiprocessors()));
  if (grid.tiles > ~std::uint32_t(0) - 2 * grid.blocks)
    throw error("scan: an array of " + std::to_string(n) + " elements is too long for a GPU");
  auto const words = grid.tiles > 1 ? std::size_t(grid.tiles) * prefix_type::words : 0;
  auto const workspace = context.workspace(words);
  launch_early<device::scan_array<prefix_type, source_type>>(
      grid.blocks, (grid.warps + device::carrying_warps) * unsigned(warp_size),
      grid.warps * tiling::warp_bytes,
      context.stream())(device::scan_call<prefix_type, source_type>{
      source, n, std::uint32_t(grid.tiles), how.exclusive, how.reverse, out, how.total, workspace,
      prefix});
}

}  // namespace tally::detail
