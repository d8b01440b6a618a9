// SPDX-License-Identifier: Apache-2.0
//
// What ranks know of rows of which each has a slice.
#pragma once

#include <string_view>

#include "tally/nodes/row_parts.hpp"
#include "tally/nodes/told_states.hpp"

namespace tally::detail {

// State is what Op knows of a row, whose first element has the index `first`.
template <class State>
class row_states_of_ranks {
 public:
  template <class W, readable_rows R, class Op>
  row_states_of_ranks(distributed<W> const& where, R const& in, Op const& op, std::uint64_t first,
                      nan_policy nan)
      : nothing_(op, first),
        in_place_(may_look_at_places<Op> || nothing_.is_ordered()),
        rows_(in.layout().count) {
    std::vector<std::uint64_t> begins(std::size_t(rows_), first);
    if (in_place_) add_sizes_before<Op>(where, in, begins);
    told_ = all_gather_result(where.ranks, [&] {
      auto const mine = known_here(where.where, in, op, begins, nan);
      byte_writer out;
      for (int s = 0; s < where.ranks.size(); ++s) {
        byte_writer share;
        share_of_rows const all(rows_, where.ranks.size(), s);
        for (auto r = all.begin; r < all.end; ++r) tell(share, mine[std::size_t(r)]);
        auto const bytes = share.take();
        out.put(std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
      }
      return out.take();
    });
  }

  // Calls f(row, its state) for the rows of each share in [first, end).
  template <class Op, class F>
  void for_shares(Op const& op, int first, int end, F const& f) const {
    int const size = int(told_.size());
    std::vector<byte_reader> from;
    for (auto const& bytes : told_) from.emplace_back(bytes);
    for (int s = 0; s < end; ++s) {
      std::vector<std::string> told;
      for (auto& one : from) told.push_back(one.get_text());
      if (s < first) continue;
      std::vector<byte_reader> shares;
      for (auto const& text : told) shares.emplace_back(std::as_bytes(std::span(text)));
      share_of_rows const all(rows_, size, s);
      for (auto r = all.begin; r < all.end; ++r) f(r, next(op, shares));
    }
  }

 private:
  State nothing_;
  bool in_place_;
  std::uint64_t rows_;
  bytes_of_ranks told_;

  template <class Op>
  State next(Op const& op, std::vector<byte_reader>& told) const {
    State all = nothing_;
    for (auto& from : told) {
      auto one = heard<State>::from(from, op);
      if (!in_place_) one.move_to(nothing_.first() + all.count());
      all.append(one);
    }
    return all;
  }

  // How many elements of each row the ranks before this one have.
  template <class Op, class W, class R>
  static void add_sizes_before(distributed<W> const& where, R const& in,
                               std::vector<std::uint64_t>& begins) {
    auto const sizes = numbers_of_ranks(where.ranks, [&] {
      auto const& layout = in.layout();
      std::vector<std::uint64_t> all(begins.size(), layout.length);
      if (layout.lengths)
        at_cores<Op>(where.where, in, [&](cpu, auto const& rows) {
          for (std::size_t r = 0; r < all.size(); ++r) all[r] = rows.layout().size(r);
        });
      return all;
    });
    for (std::size_t k = 0; k < std::size_t(where.ranks.rank()); ++k)
      for (std::size_t r = 0; r < begins.size(); ++r) begins[r] += sizes[k][r];
  }
  template <class W, class R, class Op>
  static std::vector<State> known_here(W const& where, R const& in, Op const& op,
                                       std::vector<std::uint64_t> const& begins, nan_policy nan) {
    if (std::ranges::all_of(begins, [&](auto x) { return x == begins[0]; }))
      return states_of_rows(where, in, as_state{op, begins[0]}, nan);
    std::vector<State> all;
    for (auto const begin : begins) all.emplace_back(op, begin);
    at_cores<Op>(where, in, [&](cpu there, auto const& rows) {
      states_on<cpu>::append_rows(there, all, as_state{op}, rows, nan);
    });
    return all;
  }
  // Calls f(cores, rows).
  template <class Op, class W, class R, class F>
  static void at_cores(W const& where, R const& in, F const& f) {
    states_on<std::remove_cvref_t<W>>::template visit<Op>(
        where, in, [&](auto& there, auto const& rows) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(there)>, cpu>)
            f(there, rows);
          else
            throw error(
                "reduce: where the order of elements matters, a gpu's slices of rows are all of "
                "one length");
        });
  }
};

}  // namespace tally::detail
