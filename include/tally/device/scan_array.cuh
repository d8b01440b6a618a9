// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a scan of rows, or of an array, which is one row.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/prefix/prefix.cuh"
#include "tally/device/scan.cuh"
#include "tally/device/scan_shape.hpp"
#include "tally/device/scan_wave.cuh"
#include "tally/input.hpp"

namespace tally::detail {

inline std::uint64_t tiles_of(std::uint64_t n, std::uint64_t size) {
  return n == 0 ? 1 : (n + size - 1) / size;
}

// How many warps a block has memory for, of which each needs so much.
template <class Board>
unsigned warps_with_room(std::size_t warp_bytes) {
  auto const all = shared_memory_of_a_block();
  return unsigned((all - std::min(all, sizeof(Board))) / warp_bytes);
}

// Scans in a wave of blocks whose lanes have `Vectors` times 16 bytes, if there is room for that.
template <int Vectors, launch_context Context, class Prefix, class Source, class Rows>
bool scan_in_a_wave(Context& context, device::scan_call<Prefix, Source, Rows>& call) {
  using tiling = device::scan_tiling<Prefix, Source, Rows, Vectors>;
  constexpr unsigned most = Prefix::wave_threads / warp_size;
  constexpr unsigned few = std::min(8u, most);  // what they do soon is not worth telling others
  auto const all_blocks = unsigned(context.multiprocessors());
  if (call.rows.count > all_blocks) return false;
  auto const rows = unsigned(call.rows.count), blocks = all_blocks / rows;  // of a row
  std::uint64_t const parts = tiles_of(call.rows.length, tiling::part);
  if (parts > std::uint64_t(blocks) * most) return false;
  auto const warps =
      std::max(unsigned(std::min<std::uint64_t>(parts, few)), unsigned(tiles_of(parts, blocks)));
  if (warps > warps_with_room<device::wave_board<Prefix>>(tiling::part_bytes)) return false;
  call.tiles = std::uint32_t(tiles_of(parts, warps));
  call.w = context.workspace(call.tiles > 1 ? call.all_tiles() * std::size_t(Prefix::words) : 0);
  return launch_together<device::scan_wave<Prefix, Source, Rows, Vectors>>(
      dim3(call.tiles, rows), warps * unsigned(warp_size), warps * tiling::part_bytes,
      context.stream())(call);
}

// Scans rows of any size.
template <launch_context Context, class Prefix, class Source, class Rows>
void scan_by_tiles(Context& context, device::scan_call<Prefix, Source, Rows>& call) {
  using stages = device::scan_stages<Prefix, Source, Rows>;
  auto const warps =
      std::min(unsigned(Prefix::threads / warp_size),
               warps_with_room<device::scan_board<Prefix, Rows>>(stages::warp_bytes));
  if (warps == 0)
    throw error("scan: elements of " + std::to_string(sizeof(typename stages::element)) +
                " bytes are too large for this GPU's shared memory");
  std::uint64_t const rows = call.rows.count, n = call.rows.length;
  std::uint64_t const tiles = tiles_of(n, std::uint64_t(warps) * stages::part);
  auto const most_blocks = unsigned(context.multiprocessors());
  if (tiles > (~std::uint32_t(0) - 16 * most_blocks) / rows)
    throw error(rows == 1
                    ? "scan: an array of " + std::to_string(n) + " elements is too long for a GPU"
                    : "scan: " + std::to_string(rows) + " rows of " + std::to_string(n) +
                          " elements are too many for a GPU");
  call.tiles = std::uint32_t(tiles);
  // Rows of one tile publish nothing, but tiles are drawn.
  std::uint64_t const all = call.all_tiles(), words = tiles > 1 ? all * Prefix::words : 1;
  auto const blocks = std::min<std::uint64_t>(all, most_blocks);
  call.w = context.workspace(std::size_t(words));
  launch_early<device::scan_array<Prefix, Source, Rows>>(
      unsigned(blocks), (warps + device::helping_warps) * unsigned(warp_size),
      warps * stages::warp_bytes, context.stream())(call);
}

// Scans each of `rows` (scan_shape.hpp) of `in`, in memory that the device can read, into its place
// from `out` on; asynchronously. Each row begins with how.init, and total[r] (unless `total` is
// null) takes the result over all of row r. `out` may be the array that `in` reads, if strides are
// the same.
template <launch_context Context, aggregate A, input In, class Rows>
void scan_rows_on_gpu(Context& context, A const& a, nan_policy nan, In const& in, Rows const& rows,
                      typename A::result* out, gpu_scan<typename A::result> const& how) {
  if (rows.count == 0) return;
  bool const skips = nan == skip && has_nan<typename A::element>;
  auto const source = device::source_of(in);
  using source_type = std::remove_const_t<decltype(source)>;
  auto const prefix = device::prefix_for<A>::make(a, skips, how.reverse, how.init);
  using prefix_type = std::remove_const_t<decltype(prefix)>;
  device::scan_call<prefix_type, source_type, Rows> call{
      source, rows, 0, how.exclusive, how.reverse, out, how.total, {}, prefix};
  constexpr int vectors = prefix_type::wave_vectors, wide = prefix_type::wide_wave_vectors;
  if (scan_in_a_wave<vectors>(context, call)) return;
  if constexpr (wide != vectors)
    if (scan_in_a_wave<wide>(context, call)) return;
  scan_by_tiles(context, call);
}

// Scans all of `in` into out[0, n), as one row.
template <launch_context Context, aggregate A, input In>
void scan_on_gpu(Context& context, A const& a, nan_policy nan, In const& in,
                 typename A::result* out, gpu_scan<typename A::result> const& how) {
  scan_rows_on_gpu(context, a, nan, in, gpu_scan_array{in.size()}, out, how);
}

}  // namespace tally::detail
