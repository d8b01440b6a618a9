// SPDX-License-Identifier: Apache-2.0
//
// The k best of each of many rows that are short enough for a block's registers: a block a row.
// Where they end is found exactly, or nearly; they go to shared memory in the order of their
// indices, and there each finds its place.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/block_row.cuh"
#include "tally/device/top_k/select/place.cuh"

namespace tally::device {

// Vectors that a thread has of the longest row, and of short ones; and how many places they have.
template <class Bits>
inline constexpr int most_block_row_loads = sizeof(Bits) >= 4 ? 8 : 2 * int(sizeof(Bits));
template <class Bits>
inline constexpr int least_block_row_loads =
    most_block_row_loads<Bits> / (sizeof(Bits) == 1 ? 2 : 4);
template <class Bits, int Loads>
inline constexpr std::uint64_t block_row_places =
    row_batch<Bits, Loads>::items * std::uint64_t(selecting_threads);
template <class Bits>
inline constexpr std::uint64_t longest_block_row =
    block_row_places<Bits, most_block_row_loads<Bits>>;
// Blocks that a multiprocessor has registers for.
template <class Bits, int Loads>
inline constexpr int block_rows_blocks = Loads < most_block_row_loads<Bits> ? 3 : 2;

// How many are put aside, and where, in shared memory.
template <class Bits>
struct block_rows_room {
  using entry = typename ranked<Bits>::type;
  unsigned entries, slack;  // of which up to `slack` are not asked for

  block_rows_room(std::uint64_t most, std::uint64_t length, bool sorted) {
    slack = sorted && most > 1 ? 512 + unsigned(most) / 4 : 0;
    entries = unsigned(most + slack < length ? most + slack : length) + 3;
    if (entries < few_entries + 3) entries = few_entries + 3;
    entries = (entries + 7) / 8 * 8;
  }
  std::size_t bytes() const { return entries * (2 * sizeof(entry) + 2 * sizeof(std::uint16_t)); }

  __device__ entry* list() const { return reinterpret_cast<entry*>(dynamic_shared<std::byte>()); }
  __device__ binned<entry> kept() const {
    auto* const bins = reinterpret_cast<std::uint16_t*>(list() + 2 * entries);
    return {list() + entries, bins, entries};
  }
  __device__ std::uint16_t* tags() const { return kept().bins + entries; }
};

template <class In>
struct block_rows_call : top_k_request<In> {
  block_rows_room<typename top_k_request<In>::bits> room;

  explicit block_rows_call(top_k_request<In> const& of)
      : top_k_request<In>(of), room(of.how.most, of.rows.length, of.how.sorted) {}
};

template <class Entry>
union block_rows_board {
  block_row_board row;
  place_board<Entry> place;
};

// Puts the k best of a row into a list, or up to `slack` more, in the order of their indices. Of a
// row that is much shorter than others, the threads have fewer vectors. Returns how many there are.
template <int Loads, class Row, class Entry>
__device__ unsigned take_best(block_row_board& board, Row const& row,
                              rank_order<typename Row::bits> const& order, unsigned k,
                              unsigned slack, Entry* list) {
  using bits = typename Row::bits;
  if constexpr (Loads > least_block_row_loads<bits>)
    if (row.lead() + row.count <= block_row_places<bits, Loads / 2>)
      return take_best<Loads / 2>(board, row, order, k, slack, list);
  block_row<Row, Loads> const held(row, order);
  return held.take(board, held.find_cut(board, k, slack), list);
}
// The longest rows fit if no place is lost before their first element.
template <class Bits, class Entry>
__device__ unsigned take_best_unaligned(block_row_board& board, array_row<Bits> const& row,
                                        rank_order<Bits> const& order, unsigned k, unsigned slack,
                                        Entry* list) {
  block_row<unaligned_row<Bits>, most_block_row_loads<Bits>> const held({row}, order);
  return held.take(board, held.find_cut(board, k, slack), list);
}

// Selects from a row and puts its best where they belong. Returns how many there are.
template <int Loads, class In, class Row, class Board>
__device__ unsigned select_block_row(block_rows_call<In> const& call, Board& board, unsigned k,
                                     row_output<Row> const& out) {
  auto const& row = out.row;
  using bits = typename Row::bits;
  using rank = ranked<bits>;
  using entry = typename rank::type;
  auto const put = [&](unsigned place, entry const& x) {
    out.put_key(place, rank::key(x), rank::index(x));
  };
  entry* const list = call.room.list();
  bool const sorts = call.how.sorted && k > 1;
  unsigned const slack = sorts ? call.room.slack : 0;
  unsigned count = 0;
  bool fits = true;
  if constexpr (std::is_same_v<Row, array_row<bits>> && Loads == most_block_row_loads<bits>) {
    fits = row.lead() + row.count <= longest_block_row<bits>;
    if (!fits) count = take_best_unaligned(board.row, row, call.order, k, slack, list);
  }
  if (fits) count = take_best<Loads>(board.row, row, call.order, k, slack, list);
  __syncthreads();
  if (sorts) {
    place_entries<rank>(
        0, 1, board.place, call.room.kept(), call.room.tags(), count, k,
        [&](unsigned i) { return list[i]; }, put);
  } else {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += selecting_threads) put(i, list[i]);
  }
  return count < k ? count : k;
}

template <int Loads, class In>
__global__ void __launch_bounds__(selecting_threads,
                                  block_rows_blocks<bits_of<typename In::element>, Loads>)
    top_k_block_rows(__grid_constant__ block_rows_call<In> const call) {
  __shared__ block_rows_board<typename ranked<bits_of<typename In::element>>::type> board;
  await_launches_before();
#pragma unroll 1
  for (std::uint64_t r = blockIdx.x; r < call.rows.count; r += gridDim.x) {
    select_row(call, r, threadIdx.x, selecting_threads, [&](unsigned k, output_for<In> const& out) {
      return select_block_row<Loads>(call, board, k, out);
    });
    __syncthreads();
  }
}

}  // namespace tally::device
