// SPDX-License-Identifier: Apache-2.0
//
// The k best of a row for a large k, by all blocks of a team: by ascending index, or as pairs that
// are to be sorted (top_k_large_array.cuh). A long row is narrowed first (select/narrow.cuh); in
// what is left, or in the row, the cut is found digit by digit (select/cut.cuh).
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/select/narrow.cuh"
#include "tally/device/select/pairs.hpp"
#include "tally/device/top_k_request.cuh"

namespace tally::device {

template <class In>
struct top_k_large_call : top_k_request<In> {
  using bits = typename top_k_request<In>::bits;

  unsigned blocks;                      // of a team, of which each row has one
  std::uint64_t room;                   // for what is marked of a row
  pairs_to_sort<sortable<bits>> pairs;  // of the only row, if it is to be sorted; or null
  workspace w;
  std::byte* memory;  // of the teams
};

// What a team keeps in global memory, in this order.
template <class Bits>
struct large_memory {
  using index = std::uint32_t;

  index* counts;              // of digits
  two_counts<index>* totals;  // of blocks
  narrow_memory<Bits, index> narrow;

  TALLY_HD static constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
  TALLY_HD static constexpr std::uint64_t steps(std::uint64_t length) {
    return marked_parts<Bits>::steps(length + row_batch<Bits>::each);
  }
  TALLY_HD static constexpr std::size_t parts(std::uint64_t length) {
    return steps(length) * marked_parts<Bits>::of_step;
  }
  TALLY_HD static constexpr std::size_t marks(std::uint64_t length) {
    return parts(length) * 32 * sizeof(marks_of<Bits>);
  }
  TALLY_HD static constexpr std::size_t bytes(unsigned blocks, std::uint64_t length,
                                              std::uint64_t room) {
    std::size_t const always = rounded(digit_passes<Bits> * digits * sizeof(index)) +
                               rounded(blocks * sizeof(two_counts<index>));
    if (room == 0) return always;
    return always + 2 * rounded(marks(length)) + rounded(parts(length) * 4) +
           rounded(steps(length) * sizeof(two_counts<index>)) + rounded(room * sizeof(Bits)) +
           rounded(room * sizeof(index));
  }
  __device__ large_memory(std::byte* at, unsigned blocks, std::uint64_t length,
                          std::uint64_t room) {
    auto const take = [&](std::size_t size) {
      auto* const here = at;
      at += rounded(size);
      return here;
    };
    counts = reinterpret_cast<index*>(take(digit_passes<Bits> * digits * sizeof(index)));
    totals = reinterpret_cast<two_counts<index>*>(take(blocks * sizeof(two_counts<index>)));
    narrow.above = reinterpret_cast<marks_of<Bits>*>(take(marks(length)));
    narrow.from = reinterpret_cast<marks_of<Bits>*>(take(marks(length)));
    narrow.counts = reinterpret_cast<std::uint32_t*>(take(parts(length) * 4));
    narrow.before =
        reinterpret_cast<two_counts<index>*>(take(steps(length) * sizeof(two_counts<index>)));
    narrow.elements = reinterpret_cast<Bits*>(take(room * sizeof(Bits)));
    narrow.indices = reinterpret_cast<index*>(take(room * sizeof(index)));
  }
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
        memory_(call.memory +
                    number * large_memory<bits>::bytes(call.blocks, call.rows.length, call.room),
                call.blocks, call.rows.length, call.room),
        row_(row_of(call.in, call.rows.begin(number), call.rows.size(number))),
        first_(number * call.how.most) {
    std::uint64_t const asked = call.how.k_of(number);
    k_ = index(asked < row_.count ? asked : row_.count);
  }

  // Returns how many are selected.
  __device__ index select() {
    if (k_ == 0) return 0;
    index const count = from_part();
    if (count != none) return count;
    note(detail::top_k_path::by_digits);
    return select_from(row_, [](index i) { return i; });
  }

  // Fills up the places behind them.
  __device__ void fill(index count) const {
    for (std::uint64_t i = count + all_.thread(); i < call_.how.most; i += all_.threads())
      if (call_.pairs.count > 0)
        call_.pairs.keys[0][i] = 0, call_.pairs.indices[0][i] = none;
      else
        call_.how.put(first_ + i, call_.how.missing, -1);
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

  __device__ void note(detail::top_k_path path) const {
    if (call_.how.paths && all_.thread() == 0) atomicAdd(call_.how.paths + unsigned(path), 1u);
  }

  top_k_large_call<In> const& call_;
  team& all_;
  large_board& board_;
  large_memory<bits> const memory_;
  row_type const row_;
  std::uint64_t const first_;
  index k_;
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
  work.fill(count);
  if (all.thread() == 0 && call.how.counts) call.how.counts[row] = count;
  all.leave();
}

// What is sorted, to the outputs of the only row.
template <class In>
__global__ void put_sorted(__grid_constant__ top_k_request<In> const call,
                           sortable<bits_of<typename In::element>> const* keys,
                           std::uint32_t const* indices) {
  using bits = bits_of<typename In::element>;
  await_launches_before();
  auto const row = row_of(call.in, call.rows.begin(0), call.rows.size(0));
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < call.how.most;
       i += all) {
    auto const key = bits(keys[i]);
    std::uint32_t const index = indices[i];
    if (index == ~std::uint32_t(0))
      call.how.put(i, call.how.missing, -1);
    else
      call.how.put(i, call.order.is_of_several(key) ? row[index] : call.order.element_of(key),
                   index);
  }
}

}  // namespace tally::device
