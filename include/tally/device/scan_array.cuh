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
  constexpr std::uint64_t size = device::tile_size_of<prefix_type, source_type>;
  std::uint64_t const n = in.size(), tiles = std::max<std::uint64_t>((n + size - 1) / size, 1);
  auto const resident =
      std::uint64_t(context.multiprocessors()) * prefix_type::blocks_a_multiprocessor;
  auto const blocks = unsigned(std::min(tiles, resident));
  if (tiles > ~std::uint32_t(0) - 2 * blocks)
    throw error("scan: an array of " + std::to_string(n) + " elements is too long for a GPU");
  auto const words = tiles > 1 ? std::size_t(tiles) * prefix_type::words : 0;
  auto const workspace = context.workspace(words);
  launch_early<device::scan_array<prefix_type, source_type>>(blocks, unsigned(prefix_type::threads),
                                                             0, context.stream())(
      device::scan_call<prefix_type, source_type>{source, n, std::uint32_t(tiles), how.exclusive,
                                                  how.reverse, out, how.total, workspace, prefix});
}

}  // namespace tally::detail
