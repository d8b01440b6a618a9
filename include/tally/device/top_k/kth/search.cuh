// SPDX-License-Identifier: Apache-2.0
//
// The key at one rank of a row, by a team of blocks that goes through rows: nothing is gathered or
// sorted.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/rows/team_reduce.cuh"
#include "tally/device/top_k/request.hpp"
#include "tally/device/top_k/select/cut.cuh"

namespace tally::device {

// What a team keeps in global memory for rows of at most so many elements, of each of which so many
// keys are found: for a search digit by digit, and for one by one read.
template <class Bits, class Index, class OneRead>
struct search_memory {
  Index* counts;
  std::byte* told;
  OneRead one_read;

  TALLY_FN search_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : counts(from.take<Index>(blocks == 1 ? 0 : digit_passes<Bits> * std::size_t(digits))),
        told(from.take<std::byte>(exchange::bytes(blocks))),
        one_read(from, blocks, length, keys) {}
};

template <class In, class Index, class How, template <class, class> class OneRead>
struct search_call : row_request<In, How> {
  using bits = typename row_request<In, How>::bits;
  using index = Index;
  using memory = search_memory<bits, Index, OneRead<bits, Index>>;

  unsigned blocks;  // of a team
  workspace w;
  std::byte* scratch;          // of the teams
  std::uint64_t memory_bytes;  // of each
  bool has_table = false;      // whether blocks have table_bytes of shared memory

  __device__ auto row(std::uint64_t r) const {
    return row_of(this->in, std::uint64_t(this->rows.begin(r)), this->rows.size(r));
  }
};

// A team, its row after row, and the memory in which it searches them.
template <class Call>
class searching_team {
 public:
  using bits = typename Call::bits;
  using index = typename Call::index;

  __device__ explicit searching_team(Call const& call)
      : searching_team(call, arena(call.scratch + blockIdx.x / call.blocks * call.memory_bytes)) {}

  // Calls f(row number) for each row of the team, which meets behind each.
  template <class F>
  __device__ void for_rows(std::uint64_t count, F f) {
    unsigned const teams = gridDim.x / all.blocks();
#pragma unroll 1
    for (std::uint64_t r = blockIdx.x / all.blocks(); r < count; r += teams) {
      f(r);
      all.meet();
    }
    all.leave();
  }
  __device__ bool speaks() const { return all.thread() == 0; }

  // The key at rank k of a row, counted from 1, and how many that equal it are up to there.
  template <class Row>
  __device__ cut<bits, index> find(digit_counts<index>& shared, Row const& row,
                                   rank_order<bits> const& order, index k) {
    return find_cut_of_any<digit_bits, true>(all, shared, memory.counts, row, order, k);
  }

  team all;
  typename Call::memory const memory;
  exchange told;

 private:
  __device__ searching_team(Call const& call, arena from)
      : all(call.w, blockIdx.x / call.blocks, blockIdx.x % call.blocks, call.blocks),
        memory(from, call.blocks, call.rows.length, call.how.keys()),
        told(memory.told) {}
};

}  // namespace tally::device
