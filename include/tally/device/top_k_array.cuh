// SPDX-License-Identifier: Apache-2.0
//
// How the host starts a top-k of rows.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/start_teams.cuh"
#include "tally/device/top_k.cuh"
#include "tally/device/top_k_block_rows.cuh"
#include "tally/device/top_k_distinct_array.cuh"
#include "tally/device/top_k_large_array.cuh"
#include "tally/device/top_k_short_rows.cuh"
#include "tally/device/top_k_warp_rows.cuh"

namespace tally::detail {

// How many of so many blocks share a row that is selected from, in one read or by a large k.
template <class Bits>
unsigned blocks_that_select(gpu_rows const& rows, unsigned blocks) {
  return std::min(blocks_of_a_team(rows, blocks, device::selecting_tile<Bits>),
                  device::most_groups);
}

// How many blocks, of so many, hold each of the rows at once, wherever it begins; 0: not so many,
// or they need not share it. More of them take less time, up to eight.
template <class In>
unsigned blocks_that_hold(device::top_k_request<In> const& call, unsigned most) {
  using bits = bits_of<typename In::element>;
  constexpr auto tile = device::selecting_tile<bits>;
  constexpr auto each = device::row_batch<bits>::each;
  auto const& rows = call.rows;
  std::uint64_t lead = each - 1;
  if constexpr (std::is_same_v<In, array_input<bits>>)
    if (!rows.starts && (rows.count == 1 || rows.stride % each == 0))
      lead = reinterpret_cast<std::uintptr_t>(call.in.data) % device::vector_bytes / sizeof(bits);
  std::uint64_t const needed = (rows.length + lead + tile - 1) / tile;
  most = std::min(most, device::most_groups);
  if (needed < 2 || needed > most) return 0;
  return std::max(unsigned(needed), std::min(most, 8u));
}

// How the kernels of top_k.cuh are started.
template <class Index, memory_context Context, class In>
class start_of_top_k {
 public:
  start_of_top_k(Context& context, device::top_k_request<In> const& call)
      : context_(context),
        call_(call),
        multiprocessors_(unsigned(context.multiprocessors())),
        of_a_block_(shared_memory_of(context)) {}

  // Whether one read is tried. Where it cannot be, what selects many takes less time than digits.
  bool in_one_read() const {
    std::uint64_t const k = call_.how.most;
    if (k <= device::most_by_index) return true;
    if (!samples_many()) return false;
    auto const& rows = call_.rows;
    auto const blocks = rows.count < at_once() ? blocks_that_select<bits>(rows, at_once()) : 1;
    return call_.how.sorted && k <= device::most_sampled && fits(blocks) &&
           guess(blocks).can_tell();
  }

  // Where teams hold their rows; returns whether it has been started.
  bool held() {
    std::uint64_t const k = call_.how.most;
    if (call_.rows.count > device::team::most || k > device::most_sampled) return false;
    bool const is_many = k > device::most_by_index;
    if (is_many && ((sizeof(bits) == 1 && !call_.how.sorted) || !samples_many())) return false;
    unsigned const rows = unsigned(call_.rows.count);
    unsigned const blocks = blocks_that_hold(call_, multiprocessors_ / std::max(1u, rows));
    if (blocks == 0 || !fits(blocks) || !guess(blocks).can_tell()) return false;
    auto const words = call_.how.most <= device::most_told ? device::team_words<bits>::count : 0;
    auto const launch = launch_together<device::top_k_held<In>>(
        dim3(blocks, rows), device::selecting_threads, shared_bytes(blocks), context_.stream());
    return launch(call_with(blocks, rows, words));
  }

  void any() {
    auto const& rows = call_.rows;
    most_blocks const most{at_once(), 4 * multiprocessors_};
    start_teams<device::top_k<In, Index>>(
        context_, rows, most,
        [&](unsigned blocks) { return blocks_that_select<bits>(rows, blocks); },
        [&](unsigned blocks) { return shared_bytes(blocks); },
        [&](unsigned blocks, unsigned teams) { return call_with(blocks, teams, 0); });
  }

 private:
  using bits = bits_of<typename In::element>;
  using memory = device::team_memory<bits, Index>;
  static constexpr std::size_t board = sizeof(device::top_k_board<bits, Index>);

  device::sampled_shape shape(unsigned blocks) const {
    return device::sampled_shape::of<bits, Index>(blocks, call_.how.most, call_.how.sorted);
  }
  unsigned at_once() const {
    auto const room = board + shared_bytes(device::most_groups);
    return multiprocessors_ * blocks_with_room(room, of_a_block_);
  }
  bool samples_many() const {
    if constexpr (requires { context_.samples_many(); })
      return context_.samples_many();  // a test of the other ways
    return true;
  }
  bool fits(unsigned blocks) const { return shape(blocks).shared_bytes + board <= of_a_block_; }
  std::size_t shared_bytes(unsigned blocks) const {
    return fits(blocks) ? shape(blocks).shared_bytes : 0;
  }
  device::sampling guess(unsigned blocks) const {
    auto const length = std::max<std::uint64_t>(1, call_.rows.length);
    return device::sampling_of<bits>(blocks, length, call_.how.most,
                                     device::fits_in_tiles<bits>(blocks, length));
  }
  device::top_k_call<In, Index> call_with(unsigned blocks, unsigned teams, std::size_t words) {
    std::uint64_t const sorted = call_.how.sorted && call_.how.most > 1 ? call_.how.most : 0;
    auto const bytes = memory::bytes(blocks, sorted, shape(blocks));
    auto const m = context_.memory(std::max<std::size_t>(blocks > 1, teams * words), teams * bytes);
    bool const samples =
        fits(blocks) && (call_.how.most <= device::most_by_index || samples_many());
    return {call_, blocks, teams, samples, shape(blocks), guess(blocks), m.w, m.scratch, bytes};
  }

  Context& context_;
  device::top_k_request<In> const& call_;
  unsigned multiprocessors_;
  std::size_t of_a_block_;
};

// Whether it is one row, or needs no order, of which so many are asked that teams of several blocks
// select them otherwise than a few; then it is started.
template <memory_context Context, class In>
bool selects_many(Context& context, device::top_k_request<In> const& call) {
  if constexpr (sorting_context<Context>) {
    auto const& rows = call.rows;
    bool const sorts = call.how.sorted && rows.count > 1;
    if (sorts || rows.count > device::team::most) return false;
    unsigned const all = 2 * unsigned(context.multiprocessors());
    if (all < 2 * rows.count) return false;
    unsigned const blocks = blocks_that_select<bits_of<typename In::element>>(rows, all);
    return blocks > 1 && select_large_on_gpu(context, call, blocks);
  }
  return false;
}

template <class Index, memory_context Context, class In>
void select_on_gpu(Context& context, device::top_k_request<In> const& call) {
  start_of_top_k<Index, Context, In> start(context, call);
  if constexpr (sizeof(Index) == 4)
    if (start.held() || (!start.in_one_read() && selects_many(context, call))) return;
  start.any();
}

// A warp a row, whose lanes have `Each` elements.
template <int Each, memory_context Context, class In>
void select_from_short_rows(Context& context, device::top_k_request<In> const& call) {
  if constexpr (Each * warp_size < device::longest_short_row)
    if (call.rows.length > Each * warp_size) return select_from_short_rows<2 * Each>(context, call);
  auto const blocks = (call.rows.count + device::short_row_warps - 1) / device::short_row_warps;
  auto const most = std::uint64_t(16 * context.multiprocessors());
  launch_early<device::top_k_short_rows<Each, In>>(unsigned(std::min(blocks, most)),
                                                   device::short_row_warps * warp_size, 0,
                                                   context.stream())(call);
}

// Whether rows are enough for a GPU's warps and short enough for one each; then they are selected.
template <memory_context Context, class In>
bool selects_by_warps(Context& context, device::top_k_request<In> const& of) {
  using bits = bits_of<typename In::element>;
  auto const multiprocessors = std::uint64_t(context.multiprocessors());
  if (of.rows.length > device::longest_warp_row || of.how.most > device::most_of_warp_row ||
      of.rows.count < device::warp_rows_of_a_multiprocessor * multiprocessors)
    return false;
  device::warp_rows_call<In> const call(of);
  auto const shared = device::warp_rows_warps * device::warp_row_room<bits>::bytes(call.limit);
  if (shared > shared_memory_of(context)) return false;
  auto const blocks = (of.rows.count + device::warp_rows_warps - 1) / device::warp_rows_warps;
  launch_early<device::top_k_warp_rows<In>>(unsigned(std::min(blocks, 64 * multiprocessors)),
                                            device::warp_rows_warps * warp_size, shared,
                                            context.stream())(call);
  return true;
}

// Whether rows are short enough for a block's registers; then they are selected.
template <memory_context Context, class In>
bool selects_by_blocks(Context& context, device::top_k_request<In> const& of) {
  using bits = bits_of<typename In::element>;
  if (of.rows.length > device::longest_block_row<bits>) return false;
  if constexpr (requires { context.holds_rows(); })
    if (!context.holds_rows()) return false;  // a test of the other ways
  device::block_rows_call<In> const call(of);
  constexpr auto board = sizeof(device::block_rows_board<typename device::ranked<bits>::type>);
  if (call.room.bytes() + board > shared_memory_of(context)) return false;
  auto const most = std::uint64_t(4 * context.multiprocessors());
  auto const blocks = unsigned(std::min(call.rows.count, most));
  auto const select = [&]<int Loads>(std::integral_constant<int, Loads>) {
    launch_early<device::top_k_block_rows<Loads, In>>(blocks, device::selecting_threads,
                                                      call.room.bytes(), context.stream())(call);
  };
  constexpr int loads = device::most_block_row_loads<bits>;
  constexpr std::uint64_t most_lead = device::row_batch<bits>::each - 1;
  if (of.rows.length + most_lead <= device::block_row_places<bits, loads / 2>)
    select(std::integral_constant<int, loads / 2>{});
  else
    select(std::integral_constant<int, loads>{});
  return true;
}

// Of all elements, also those that are alike.
template <memory_context Context, class In>
void top_k_of_all_on_gpu(Context& context, device::top_k_request<In> const& call) {
  auto const& rows = call.rows;
  auto const& how = call.how;
  if (rows.length <= device::longest_short_row && how.most <= device::most_of_short_row)
    select_from_short_rows<4>(context, call);
  else if (selects_by_warps(context, call) || selects_by_blocks(context, call))
    return;
  else if (rows.length <= device::longest_of_32_bits)
    select_on_gpu<std::uint32_t>(context, call);
  else
    select_on_gpu<std::uint64_t>(context, call);
}

// Selects the best of each row of an input, in memory that the device can read; asynchronously.
// Where they go may still move when memory is asked for.
template <memory_context Context, class In>
void top_k_on_gpu(Context& context, device::top_k_request<In> const& call) {
  if (call.rows.count == 0 || (call.how.most == 0 && !call.how.counts)) return;
  if (!call.how.distinct) return top_k_of_all_on_gpu(context, call);
  top_k_distinct_on_gpu(context, call, [&](auto& with, device::top_k_request<In> const& best) {
    top_k_of_all_on_gpu(with, best);
  });
}
template <memory_context Context, class In>
void top_k_on_gpu(Context& context, In const& in, gpu_rows const& rows,
                  rank_order<bits_of<typename In::element>> const& order,
                  gpu_selection<bits_of<typename In::element>> const& how) {
  top_k_on_gpu(context, device::top_k_request<In>{in, rows, order, how});
}

}  // namespace tally::detail
