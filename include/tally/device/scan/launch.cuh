// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a scan of rows, or of an array, which is one row.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/rows/copy.cuh"
#include "tally/device/scan/kernel.cuh"
#include "tally/device/scan/prefix/prefix.cuh"
#include "tally/device/scan/request.hpp"
#include "tally/device/scan/rows_by_lanes.cuh"
#include "tally/device/scan/rows_by_threads.cuh"
#include "tally/device/scan/wave.cuh"
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
template <int Vectors, launch_context Context, class Prefix, class Source>
bool scan_in_a_wave(Context& context, device::scan_call<Prefix, Source, one_row>& call) {
  using tiling = device::scan_tiling<Prefix, Source, one_row, Vectors>;
  constexpr unsigned most = Prefix::wave_threads / warp_size;
  constexpr unsigned few = std::min(8u, most);  // what they do soon is not worth telling others
  auto const all_blocks = unsigned(context.multiprocessors());
  std::uint64_t const parts = tiles_of(call.rows.length, tiling::part);
  if (parts > std::uint64_t(all_blocks) * most) return false;
  auto const warps = std::max(unsigned(std::min<std::uint64_t>(parts, few)),
                              unsigned(tiles_of(parts, all_blocks)));
  if (warps > warps_with_room<device::wave_board<Prefix>>(tiling::part_bytes)) return false;
  call.tiles = std::uint32_t(tiles_of(parts, warps));
  auto const words = call.tiles > 1 ? call.tiles * std::size_t(Prefix::words) : 0;
  call.w = context.workspace(words);
  launch_plan const plan{"a resident tile a block", call.tiles, warps * unsigned(warp_size)};
  bool const started = launch_together<device::scan_wave<Prefix, Source, Vectors>>(
      plan.blocks, plan.threads, warps * tiling::part_bytes, context.stream())(call);
  if (started) explain(context, plan, words * sizeof(device::status_word));
  return started;
}

// How rows of any size are cut into tiles, for blocks of so many scanning warps.
struct scan_grid {
  unsigned warps, blocks;
  std::uint32_t tiles;  // of a row
  std::size_t words;
};
template <launch_context Context, class Prefix, class Source, class Rows>
scan_grid grid_of(Context& context, device::scan_call<Prefix, Source, Rows> const& call) {
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
  // Rows of one tile publish nothing, but tiles are drawn.
  return {warps, unsigned(std::min<std::uint64_t>(rows * tiles, most_blocks)), std::uint32_t(tiles),
          tiles > 1 ? std::size_t(rows * tiles * Prefix::words) : 1};
}
template <launch_context Context, class Prefix, class Source, class Rows>
void scan_by_tiles(Context& context, scan_grid const& grid,
                   device::scan_call<Prefix, Source, Rows> const& call, std::size_t pieces = 0) {
  launch_plan const plan{"tiles in their order, drawn", grid.blocks,
                         (grid.warps + device::helping_warps) * unsigned(warp_size)};
  launch_early<device::scan_array<Prefix, Source, Rows>>(
      plan.blocks, plan.threads, grid.warps * device::scan_stages<Prefix, Source, Rows>::warp_bytes,
      context.stream())(call);
  explain(context, plan, grid.words * sizeof(device::status_word) + pieces);
}

// The state before the first element, if there is one.
template <aggregate A>
std::optional<typename A::state> start_of_scan(A const& a,
                                               gpu_scan<typename A::result> const& how) {
  using before = maybe<typename A::state>;
  if (how.before) {
    auto const& s = *static_cast<before const*>(how.before);
    return s.present ? std::optional(s.value) : std::nullopt;
  }
  if (!how.init) return std::nullopt;
  if constexpr (requires { a.start(*how.init); })
    return a.start(*how.init);
  else
    return a.lift(*how.init, 0);
}

template <class Rows, aggregate A, input In>
auto call_of_scan(A const& a, nan_policy nan, In const& in, Rows const& rows,
                  typename A::result* out, Rows const& out_rows,
                  gpu_scan<typename A::result> const& how) {
  bool const skips = nan == skip && has_nan<typename A::element>;
  auto const source = device::source_of(in);
  auto prefix = device::prefix_for<A>::make(a, skips, how.reverse, start_of_scan(a, how));
  if (how.after) prefix.leave_at(static_cast<maybe<typename A::state>*>(how.after));
  return device::scan_call<decltype(prefix), std::remove_const_t<decltype(source)>, Rows>{
      source, rows, out_rows, 0, how.exclusive, how.reverse, out, how.total, {}, prefix};
}

// Scans all of `in` into out[0, n), in memory that the device can read; asynchronously. The result
// over all of it goes to how.total, unless that is null. `out` may be the array that `in` reads.
template <launch_context Context, aggregate A, input In>
void scan_on_gpu(Context& context, A const& a, nan_policy nan, In const& in,
                 typename A::result* out, gpu_scan<typename A::result> const& how) {
  one_row const all{in.size()};
  auto call = call_of_scan(a, nan, in, all, out, all, how);
  using prefix = decltype(call.prefix);
  if (scan_in_a_wave<1>(context, call)) return;  // a small array waits for what a lane does
  if (scan_in_a_wave<prefix::wave_vectors>(context, call)) return;
  if constexpr (prefix::wide_wave_vectors != prefix::wave_vectors)
    if (scan_in_a_wave<prefix::wide_wave_vectors>(context, call)) return;
  auto const grid = grid_of(context, call);
  call.tiles = grid.tiles, call.w = context.workspace(grid.words);
  scan_by_tiles(context, grid, call);
}

// What a scan of rows has beside its words: elements and results side by side, if they are apart.
template <class In, class Out>
struct scan_pieces {
  In* elements;
  Out* results;

  scan_pieces(device::arena& from, std::uint64_t in, std::uint64_t out)
      : elements(from.take<In>(in)), results(from.take<Out>(out)) {}
};

// How many elements a warp has of a row at once, in registers.
template <class Prefix, class Source>
inline constexpr unsigned part_of_row =
    warp_size * device::lane_items<typename Source::element, typename Prefix::result>;

// Whether rows are for warps: if they are short, or if there are enough of them. Operands that are
// put together in an order are grouped by a row's length alone, as if there were no other rows.
template <bool AnyOrder, launch_context Context, class Prefix, class Source>
bool are_for_warps(Context& context, device::scan_call<Prefix, Source, row_layout> const& call) {
  std::uint64_t const rows = call.rows.count;
  bool const are_many = AnyOrder && rows >= 32 * std::uint64_t(context.multiprocessors());
  bool const are_short = call.rows.length <= 16 * part_of_row<Prefix, Source>;
  return (are_short || are_many) && rows <= ~std::uint32_t(0) / 2;
}

// Scans rows by lanes of a warp each, or if they are longer, by a warp.
template <launch_context Context, class Prefix, class Source>
void scan_rows_by_warps(Context& context, device::scan_call<Prefix, Source, row_layout> const& call,
                        std::size_t pieces = 0) {
  constexpr unsigned part = part_of_row<Prefix, Source>, items = part / warp_size;
  constexpr unsigned threads = device::row_threads;
  std::uint64_t const rows = call.rows.count, n = call.rows.length;
  auto const most_blocks = device::row_blocks * 4 * std::uint64_t(context.multiprocessors());
  bool const is_short = n <= part;
  unsigned const width = is_short ? std::bit_ceil(unsigned((n + items - 1) / items)) : warp_size;
  launch_plan const plan{is_short ? "lanes of a warp a row" : "a warp a row",
                         unsigned(std::min(tiles_of(rows * width, threads), most_blocks)), threads};
  auto const start = [&]<bool Short>() {
    launch_early<device::scan_rows_by_lanes<Prefix, Source, Short>>(plan.blocks, plan.threads, 0,
                                                                    context.stream())(call, width);
  };
  is_short ? start.template operator()<true>() : start.template operator()<false>();
  explain(context, plan, pieces);
}

// By a thread a chunk, of which a row has so many, if they are not too short.
template <memory_context Context, class Prefix, class Source>
bool scan_rows_in_chunks(Context& context,
                         device::scan_call<Prefix, Source, row_layout> const& call,
                         std::uint64_t number) {
  constexpr unsigned threads = device::thread_rows_threads;
  std::uint64_t const rows = call.rows.count, n = call.rows.length;
  std::uint64_t const length = std::max(tiles_of(n, number), std::uint64_t(device::shortest_chunk));
  number = tiles_of(n, length);
  using chunks_type = device::row_chunks<Prefix>;
  auto const of = [&](device::arena& from) {
    return chunks_type(from, std::uint32_t(rows), std::uint32_t(number), length);
  };
  device::arena counted;
  of(counted);
  device::arena from(context.memory(1, counted.used()).scratch);
  auto const chunks = of(from);
  launch_plan const plan{"a thread a chunk of a row", unsigned(tiles_of(rows * number, threads)),
                         threads};
  auto const stream = context.stream();
  launch_early<device::add_up_chunks<Prefix, Source>>(plan.blocks, threads, 0, stream)(call,
                                                                                       chunks);
  unsigned const width =
      unsigned(std::min<std::uint64_t>(std::bit_ceil(number), device::most_in_group));
  unsigned const group = std::max(width, unsigned(warp_size));
  launch_early<device::carry_through_chunks<Prefix>>(unsigned(tiles_of(rows, group / width)), group,
                                                     0, stream)(call.prefix, chunks, width);
  launch_early<device::scan_chunks<Prefix, Source>>(plan.blocks, threads, 0, stream)(call, chunks);
  explain(context, plan, counted.used());
  return true;
}

// Scans rows that lie side by side, by a thread each, or if these are not enough, by a thread a
// chunk.
template <memory_context Context, class Prefix, class Source>
bool scan_rows_by_threads(Context& context,
                          device::scan_call<Prefix, Source, row_layout> const& call) {
  constexpr unsigned threads = device::thread_rows_threads;
  auto const multiprocessors = std::uint64_t(context.multiprocessors());
  std::uint64_t const rows = call.rows.count, enough = 512 * multiprocessors;
  bool const may_be_in_place = static_cast<void const*>(call.in.data) == call.out ||
                               call.rows.starts || call.out_rows.starts;
  if (call.rows.stride != 1 || call.out_rows.stride != 1 || (Prefix::rereads && may_be_in_place))
    return false;
  if (rows < enough && call.rows.length >= 2 * device::shortest_chunk)
    return scan_rows_in_chunks(context, call, 2 * enough / rows);
  launch_plan const plan{
      "a thread a row", unsigned(std::min(tiles_of(rows, threads), 32 * multiprocessors)), threads};
  launch_early<device::scan_rows_by_threads<Prefix, Source>>(plan.blocks, plan.threads, 0,
                                                             context.stream())(call);
  explain(context, plan, 0);
  return true;
}

// Scans each row of an array by itself, from how.init on, into the row of `out_rows`; total[r]
// (unless `total` is null) takes the result over all of row r.
template <memory_context Context, aggregate A>
void scan_rows_on_gpu(Context& context, A const& a, nan_policy nan,
                      array_input<typename A::element> in, row_layout const& rows,
                      typename A::result* out, row_layout const& out_rows,
                      gpu_scan<typename A::result> const& how) {
  using T = typename A::element;
  using R = typename A::result;
  if (rows.count == 0) return;
  bool const in_is_apart = rows.is_apart(), out_is_apart = out_rows.is_apart();
  if constexpr (A::any_order)
    if (in_is_apart || out_is_apart)
      if (scan_rows_by_threads(context, call_of_scan(a, nan, in, rows, out, out_rows, how))) return;
  auto const in_rows = in_is_apart ? side_by_side(rows) : rows;
  auto const to_rows = out_is_apart ? side_by_side(rows) : out_rows;
  auto call = call_of_scan(a, nan, in, in_rows, out, to_rows, how);
  bool const by_warps = are_for_warps<A::any_order>(context, call);
  if (by_warps && !in_is_apart && !out_is_apart) return scan_rows_by_warps(context, call);
  auto const grid = by_warps ? scan_grid{} : grid_of(context, call);
  std::uint64_t const all = rows.count * rows.length;
  std::uint64_t const places_in = in_is_apart ? all : 0, places_out = out_is_apart ? all : 0;
  auto const bytes = device::bytes_of<scan_pieces<T, R>>(places_in, places_out);
  auto const memory = context.memory(grid.words, bytes);
  device::arena from(memory.scratch);
  scan_pieces<T, R> const pieces(from, places_in, places_out);
  if (in_is_apart) {
    copy_rows_on_gpu<device::copies::together>(context, rows, in.data, pieces.elements);
    call.in = device::source_of(array_input<T>{pieces.elements, all});
  }
  if (out_is_apart) call.out = pieces.results;
  call.tiles = grid.tiles, call.w = memory.w;
  by_warps ? scan_rows_by_warps(context, call, bytes) : scan_by_tiles(context, grid, call, bytes);
  if (out_is_apart) {
    auto back = out_rows;  // each row has as many results as elements
    back.lengths = rows.lengths, back.lengths_from = rows.lengths_from;
    copy_rows_on_gpu<device::copies::apart>(context, back, out, pieces.results);
  }
}

}  // namespace tally::detail
