// SPDX-License-Identifier: Apache-2.0
//
// Searches of rows by teams of blocks that go through them: nothing is gathered or sorted.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/rows/team_reduce.cuh"
#include "tally/device/top_k/request.hpp"

namespace tally::device {

// What a team keeps in global memory for rows of at most so many elements, of each of which so many
// keys are found: what blocks tell each other, and what the kind of search needs.
template <class OfSearch>
struct search_memory : OfSearch {
  std::byte* told;

  TALLY_FN search_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : OfSearch(from, blocks, length, keys), told(from.take<std::byte>(exchange::bytes(blocks))) {}
};

template <class In, class Index, class How, template <class, class> class OfSearch>
struct search_call : row_request<In, How> {
  using bits = typename row_request<In, How>::bits;
  using index = Index;
  using memory = search_memory<OfSearch<bits, Index>>;

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
