// SPDX-License-Identifier: Apache-2.0
//
// The k best of a row for a large k, by all blocks of a team: by ascending index, or as pairs that
// are to be sorted (launch.cuh). A long row is narrowed first (select/narrow.cuh); in
// what is left, or in the row, the cut is found digit by digit (select/cut.cuh).
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/narrow.cuh"

namespace tally::device {

template <class In>
struct top_k_large_call : top_k_request<In> {
  using bits = typename top_k_request<In>::bits;

  unsigned blocks;                      // of a team, of which each row has one
  std::uint64_t room;                   // for what is marked of a row
  pairs_to_sort<sortable<bits>> pairs;  // of the only row, if it is to be sorted; or null
  workspace w;
  std::byte* scratch;          // of the teams
  std::uint64_t memory_bytes;  // of each
};

// What a team keeps in global memory.
template <class Bits>
struct large_memory {
  using index = std::uint32_t;

  index* counts;              // of digits
  two_counts<index>* totals;  // of blocks
  narrow_memory<Bits, index> narrow;

  TALLY_FN large_memory(arena& from, unsigned blocks, std::uint64_t length, std::uint64_t room)
      : counts(from.take<index>(digit_passes<Bits> * digits)),
        totals(from.take<two_counts<index>>(blocks)),
        narrow(from, length, room) {}
};

union large_board {
  digit_counts<std::uint32_t> digits;
  narrow_board<std::uint32_t> narrow;
  found_by_warps found;
};

// A block's work in a row.
template <class In>
class large_top_k_of_row {
 public:
  using bits = bits_of<typename In::element>;
  using index = std::uint32_t;
  using row_type = decltype(row_of(std::declval<In const&>(), 0, 0));

  __device__ large_top_k_of_row(top_k_large_call<In> const& call, team& all, large_board& board,
                                std::uint64_t number)
      : call_(call),
        all_(all),
        board_(board),
        memory_(memory_of(call, number)),
        row_(output_of(call, number).row),
        first_(number * call.how.most),
        k_(index(call.how.k_of(number, row_.count))) {}

  // Returns how many are selected.
  __device__ index select() {
    if (k_ == 0) return 0;
    index const count = from_part();
    if (count != none) return count;
    note(detail::top_k_path::by_digits);
    return select_from(row_, [](index i) { return i; });
  }

  // What is to be sorted is filled up as well, behind so many.
  __device__ void fill_pairs(index count) const {
    for (std::uint64_t i = count + all_.thread(); i < call_.pairs.count; i += all_.threads())
      call_.pairs.keys[0][i] = 0, call_.pairs.indices[0][i] = none;
  }

  static constexpr index none = ~index(0);

 private:
  // From what the row is narrowed to, if that has all of the best.
  __device__ index from_part() {
    if (call_.room == 0 || !narrowing::is_worth_it<bits>(all_.threads(), row_.count, k_))
      return none;
    auto const how = narrowing::of<bits>(all_.threads(), row_.count, k_);
    auto const in_sample = find_cut_of_any<narrow_digit_bits>(
        all_, board_.digits, memory_.counts, sparse_row<row_type>(row_, how.looks), call_.order,
        index(how.rank), index(how.slack));
    bits const least = bits(in_sample.low + (in_sample.ties == 0));
    if (least == 0) {
      all_.meet();  // nobody reads the sample's counts any more
      return none;
    }
    narrowed<row_type, index> part(all_, board_.narrow, row_, memory_.narrow);
    part.mark(call_.order, least);
    auto const marked = part.count(memory_.totals);
    if (marked.above > call_.room || marked.above + marked.equal < k_) return none;
    index const ties = marked.above < k_ ? k_ - marked.above : 0;
    note(ties > 0 ? detail::top_k_path::narrowed_ties : detail::top_k_path::narrowed);
    index const count = marked.above + ties;
    auto const best = part.collect(ties, count);
    auto const* const indices = memory_.narrow.indices;
    if (count > k_) return select_from(best, [=](index i) { return indices[i]; });
    for (index i = all_.thread(); i < count; i += all_.threads()) put(i, best[i], indices[i]);
    return count;
  }

  template <class Row, class At>
  __device__ index select_from(Row const& row, At index_of) {
    auto const at = find_cut_of_any<narrow_digit_bits>(all_, board_.digits, memory_.counts, row,
                                                       call_.order, k_);
    auto const places = find_places(all_, memory_.totals, at);
    gather(all_, board_.found, row, call_.order, at, places,
           [&](index place, bits x, index i) { put(place, x, index_of(i)); });
    return places.count;
  }

  __device__ void put(index place, bits x, index i) const {
    if (call_.pairs.count > 0)
      call_.pairs.keys[0][place] = call_.order(x), call_.pairs.indices[0][place] = i;
    else
      call_.how.put(first_ + place, x, std::int64_t(i));
  }

  __device__ static large_memory<bits> memory_of(top_k_large_call<In> const& call,
                                                 std::uint64_t number) {
    arena from(call.scratch + number * call.memory_bytes);
    return {from, call.blocks, call.rows.length, call.room};
  }
  __device__ void note(detail::top_k_path path) const {
    if (all_.thread() == 0) device::note(call_.how, path);
  }

  top_k_large_call<In> const& call_;
  team& all_;
  large_board& board_;
  large_memory<bits> const memory_;
  row_type const row_;
  std::uint64_t const first_;
  index const k_;
};

template <class In>
__global__ void __launch_bounds__(selecting_threads, 2)
    top_k_large(__grid_constant__ top_k_large_call<In> const call) {
  __shared__ large_board board;
  await_launches_before();
  std::uint64_t const row = blockIdx.x / call.blocks;
  team all(call.w, unsigned(row), blockIdx.x % call.blocks, call.blocks);
  large_top_k_of_row<In> work(call, all, board, row);
  auto const count = work.select();
  work.fill_pairs(count);
  finish_row(call.how, row, count, all.thread(), all.threads());
  all.leave();
}

// What is sorted, to the outputs of the only row.
template <class In>
__global__ void put_sorted(__grid_constant__ top_k_request<In> const call,
                           sortable<bits_of<typename In::element>> const* keys,
                           std::uint32_t const* indices) {
  using bits = bits_of<typename In::element>;
  await_launches_before();
  auto const out = output_of(call, 0);
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < call.how.most;
       i += all) {
    std::uint32_t const index = indices[i];
    if (index == ~std::uint32_t(0))
      call.how.put(i, call.how.missing, -1);
    else
      out.put_key(i, bits(keys[i]), index);
  }
}

}  // namespace tally::device
