// SPDX-License-Identifier: Apache-2.0
//
// Results of rows of which each rank has a slice, made in shares.
#pragma once

#include <cstring>

#include "tally/nodes/results.hpp"
#include "tally/nodes/row_states.hpp"
#include "tally/nodes/row_sums.hpp"

namespace tally::detail {

// Calls f(row, its result) for the rows of this rank's share, or of all shares.
template <class Op, class W, readable_rows R, class F>
void for_row_results(distributed<W> const& where, R const& in, Op const& op, nan_policy nan,
                     bool of_all, F const& f) {
  using T = element_of_rows<R>;
  using known = state<Op, T>;
  if constexpr (is_sum<Op> && (is_rows<R> || std::is_same_v<std::remove_cvref_t<W>, cpu>)) {
    for_sums_of_share<typename known::result_type>(where, in, nan, f);
  } else {
    row_states_of_ranks<known> const told(where, in, op, 0, nan);
    int const rank = where.ranks.rank();
    told.for_shares(
        op, of_all ? 0 : rank, of_all ? where.ranks.size() : rank + 1,
        [&](std::uint64_t r, known const& s) { f(r, s.result(if_empty::has_a_result)); });
  }
}

// All, to `out`, which has a place for each.
template <class Op, class W, readable_rows R, class Result>
void find_row_results(distributed<W> const& where, row_groups const& groups, R const& in,
                      Op const& op, nan_policy nan, Result* out) {
  for_row_parts(where.ranks, groups, in, [&](auto const& part, std::uint64_t first) {
    if constexpr (!std::is_trivially_copyable_v<Result>) {
      for_row_results(where, part, op, nan, true,
                      [&](std::uint64_t r, Result const& x) { out[first + r] = x; });
    } else {
      std::vector<std::byte> mine;
      for_row_results(where, part, op, nan, false, [&](std::uint64_t, Result const& x) {
        auto const* const bytes = reinterpret_cast<std::byte const*>(&x);
        mine.insert(mine.end(), bytes, bytes + sizeof x);
      });
      auto* to = out + first;
      for (auto const& share : all_gather_bytes(where.ranks, mine)) {
        if (!share.empty()) std::memcpy(to, share.data(), share.size());
        to += share.size() / sizeof(Result);
      }
    }
  });
}

}  // namespace tally::detail
