// SPDX-License-Identifier: Apache-2.0
//
// How the host starts searches for k-th values and quantiles of rows.
#pragma once

#include "tally/device/rows/copy.cuh"
#include "tally/device/top_k/kth/kth_value.cuh"
#include "tally/device/top_k/kth/quantile.cuh"
#include "tally/device/top_k/kth/short_kth.cuh"
#include "tally/device/top_k/kth/short_quantiles.cuh"
#include "tally/device/top_k/launch.cuh"

namespace tally::detail {

// Whether a search is by a table in shared memory, for which two blocks have room.
template <class Bits, class How>
bool has_table(row_layout const& rows, row_teams const& on, gpu_limits const& gpu) {
  if constexpr (std::is_same_v<How, gpu_quantiles> && (sizeof(Bits) == 2 || sizeof(Bits) == 4)) {
    constexpr std::size_t bytes = device::table_bytes + sizeof(device::class_memory) +
                                  sizeof(device::quantile_board<Bits, std::uint64_t>);
    auto const threads = std::uint64_t(on.blocks) * device::selecting_threads;
    return device::bracketing::is_worth_it(threads, rows.length,
                                           device::bracketing::least_of_thread_for_table) &&
           blocks_with_room(bytes, gpu.shared_memory) == 2;
  }
  return false;
}

// By teams as for a selection; a search needs no shared memory but its board.
template <template <class, class> class Call, auto Kernel, class Index, memory_context Context,
          class In, class How>
bool start_search(Context& context, gpu_limits const& gpu, device::row_request<In, How> const& of) {
  using bits = bits_of<typename In::element>;
  bool const is_apart = of.rows.is_apart();
  std::uint64_t const places = is_apart ? of.rows.count * of.rows.length : 0;
  auto const on = teams_for(of.rows, device::selecting_tile<bits>, 2 * gpu.together,
                            4 * gpu.multiprocessors, device::selecting_threads);
  Call<In, Index> call{of, on.blocks, {}, nullptr, 0};
  call.memory_bytes =
      device::bytes_of<typename Call<In, Index>::memory>(on.blocks, of.rows.length, of.how.keys());
  auto const bytes = device::bytes_of<call_pieces<bits>>(places, 0, on.teams * call.memory_bytes);
  auto const memory = context.memory(1, bytes);
  device::arena from(memory.scratch);
  call_pieces<bits> const pieces(from, places, 0, on.teams * call.memory_bytes);
  call.w = memory.w, call.scratch = pieces.scratch;
  if constexpr (std::is_same_v<In, array_input<bits>>) {
    if (is_apart) {
      copy_rows_on_gpu<device::copies::together>(context, of.rows, of.in.data, pieces.elements);
      call.in.data = pieces.elements, call.rows = side_by_side(of.rows);
    }
  }
  call.has_table = has_table<bits, How>(of.rows, on, gpu);
  if (!start_teams<Kernel>(context, on, call.has_table ? device::table_bytes : 0, call))
    return false;
  explain(context, top_k_plan{top_k_way::teams, on, false, sizeof(Index) == 8}, bytes);
  return true;
}

template <template <class, class> class Call, auto Narrow, auto Wide, memory_context Context,
          class In, class How>
void search_on_gpu(Context& context, device::row_request<In, How> const& of) {
  bool started = of.rows.count == 0;
  for (auto gpu = limits_of(context); !started; gpu.together /= 2)
    started = of.rows.length <= device::longest_of_32_bits
                  ? start_search<Call, Narrow, std::uint32_t>(context, gpu, of)
                  : start_search<Call, Wide, std::uint64_t>(context, gpu, of);
}

// Rows whose elements warps have, `Each` a lane; some quantiles a warp, if there are more of them
// than warps at the same time. Where a row is sorted, all of its own go together.
template <int Each, launch_context Context, class In>
void start_short_quantiles(Context& context, device::short_quantile_call<In> call) {
  constexpr unsigned warps = device::warps_of_short_rows;
  constexpr unsigned at_once = warps * device::blocks_of_short_rows<Each>;
  std::uint64_t const all = call.rows.count * call.how.count;
  std::uint64_t const most = at_once * unsigned(context.multiprocessors());
  call.together = unsigned(std::min<std::uint64_t>((all + most - 1) / most, warp_size));
  if (call.how.count >= device::fewest_of_sorted)
    call.together = std::max(call.together / call.how.count, 1u) * call.how.count;
  launch_early<device::short_quantiles<Each, In>>(
      blocks_for(context, all, warps * call.together, 16), warps * warp_size, 0,
      context.stream())(call);
}
template <int Each, launch_context Context, class Bits>
void start_by_warps(Context& context,
                    device::row_request<array_input<Bits>, gpu_quantiles> const& of) {
  device::short_quantile_call<array_input<Bits>> call{of, 1, {}};
  for (unsigned q = 0; q < of.how.count; ++q)
    call.places[q] =
        place_of(of.how.method, std::max(of.rows.length, std::uint64_t(1)), of.how.q[q]);
  start_short_quantiles<Each>(context, call);
}
template <int Each, launch_context Context, class Bits>
void start_by_warps(Context& context,
                    device::row_request<array_input<Bits>, gpu_kth<Bits>> const& of) {
  constexpr unsigned warps = device::warps_of_short_rows;
  launch_early<device::short_kth_values<Each, array_input<Bits>>>(
      blocks_for(context, of.rows.count, warps, 16), warps * warp_size, 0, context.stream())(of);
}

// By warps, if rows are short enough; else returns false.
template <memory_context Context, class In, class How>
bool started_by_warps(Context& context, device::row_request<In, How> of) {
  if constexpr (!std::is_same_v<In, array_input<bits_of<typename In::element>>>) {
    return false;
  } else {
    using bits = typename In::element;
    if (of.rows.count == 0 || of.rows.length > device::longest_row_of_a_warp) return false;
    auto const apart = of.rows;
    std::uint64_t const places = apart.is_apart() ? apart.count * apart.length : 0;
    if (places) {
      auto* const beside =
          reinterpret_cast<bits*>(context.memory(1, places * sizeof(bits)).scratch);
      copy_rows_on_gpu<device::copies::together>(context, apart, of.in.data, beside);
      of.in.data = beside, of.rows = side_by_side(apart);
    }
    if (apart.length <= 32)
      start_by_warps<1>(context, of);
    else if (apart.length <= 256)
      start_by_warps<8>(context, of);
    else
      start_by_warps<32>(context, of);
    explain(context, top_k_plan{.way = top_k_way::short_rows, .in = {warp_size, 0}},
            places * sizeof(bits));
    return true;
  }
}

// The k-th of each row, in memory that the device can read; asynchronously.
template <memory_context Context, class In>
void kth_value_on_gpu(Context& context,
                      device::row_request<In, gpu_kth<bits_of<typename In::element>>> const& of) {
  if (started_by_warps(context, of)) return;
  search_on_gpu<device::kth_value_call, device::kth_values<In, std::uint32_t>,
                device::kth_values<In, std::uint64_t>>(context, of);
}

// Quantiles of each row; the order is that of the smallest first.
template <memory_context Context, class In>
void quantiles_on_gpu(Context& context, device::row_request<In, gpu_quantiles> const& of) {
  if (started_by_warps(context, of)) return;
  search_on_gpu<device::quantile_call, device::quantiles<In, std::uint32_t>,
                device::quantiles<In, std::uint64_t>>(context, of);
}

}  // namespace tally::detail
