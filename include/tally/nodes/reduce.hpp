// SPDX-License-Identifier: Apache-2.0
//
// Reductions of an array that ranks share out: each tells what it knows of its slice, a state.
#pragma once

#include <optional>

#include "tally/nodes/counts.hpp"
#include "tally/nodes/results.hpp"
#include "tally/nodes/row_results.hpp"
#include "tally/nodes/told_states.hpp"
#include "tally/state.hpp"

namespace tally::detail {

template <class W>
struct states_on<distributed<W>> {
  // What `op` knows of the elements that all have, the first of which has the index `first`.
  // require() throws what else is wrong.
  template <class State, class Op, readable R, class F>
  static State all(distributed<W> const& where, Op const& op, std::uint64_t first, R const& in,
                   nan_policy nan, F const& require) {
    State all(op, first);
    bool const in_place = may_look_at_places<Op> || all.is_ordered();
    std::uint64_t begin = first;
    if (in_place)
      begin += counts_of_ranks(where.ranks, [&] {
                 require();
                 return input_of("reduce", "in", in).size();
               }).before;
    auto const told = all_gather_result(where.ranks, [&] {
      require();
      State mine(op, begin);
      mine.add(where.where, in, {nan});
      byte_writer out;
      tell(out, mine);
      return out.take();
    });
    for (auto const& bytes : told) {
      byte_reader from(bytes);
      auto one = heard<State>::from(from, op);
      if (!in_place) one.move_to(first + all.count());
      all.append(one);
    }
    return all;
  }
  template <class State, class Op, readable R>
  static State all(distributed<W> const& where, Op const& op, std::uint64_t first, R const& in,
                   nan_policy nan) {
    return all<State>(where, op, first, in, nan, [] {});
  }

  template <class Op, class R, class F>
  static void visit(distributed<W> const& where, R const& in, F const& f) {
    f(where, in);
  }
  // What `op` knows of each row, of which all have a slice.
  template <readable_rows R, class State, class Op>
  static void append_rows(distributed<W> const& where, std::vector<State>& all,
                          as_state<Op> const& op, R const& in, nan_policy nan) {
    auto const groups = require_same_rows(where.ranks, in, [] {});
    for_row_parts(where.ranks, groups, in, [&](auto const& part, std::uint64_t first) {
      row_states_of_ranks<State> const told(where, part, op.op, op.first, nan);
      told.for_shares(op.op, 0, where.ranks.size(), [&](std::uint64_t r, State const& s) {
        all[std::size_t(first + r)].append(s);
      });
    });
  }
};

template <class W>
struct reductions_on<distributed<W>> {
  template <readable R, class Op>
  static auto value(distributed<W> const& where, R const& in, Op const& op, nan_policy nan) {
    return known<R>(where, in, op, nan, [] {}).result();
  }
  // A gpu has the result in memory of the device when the call returns.
  template <readable R, class Out, class Op>
  static void into(distributed<W> const& where, R const& in, Out& out, Op const& op,
                   nan_policy nan) {
    using result = typename state<Op, element_of<R>>::result_type;
    std::span<result> to;
    auto const all = known<R>(where, in, op, nan, [&] {
      to = one_result<result>("reduce_into", out);
      require_writable(where.where, "reduce_into", "out", to);
    });
    result const one[] = {all.result()};
    write_results(where.where, one, to);
  }

  template <readable_rows R, class Op>
  static auto value(distributed<W> const& where, R const& in, Op const& op, nan_policy nan) {
    using result = typename state<Op, element_of_rows<R>>::result_type;
    values_of<result> found(std::size_t(in.layout().count));
    auto const groups = require_same_rows(where.ranks, in, [] {});
    find_row_results(where, groups, in, op, nan, reinterpret_cast<result*>(found.data()));
    return found;
  }
  template <readable_rows R, class Out, class Op>
  static void into(distributed<W> const& where, R const& in, Out& out, Op const& op,
                   nan_policy nan) {
    using result = typename state<Op, element_of_rows<R>>::result_type;
    std::optional<rows<result>> to;
    auto const groups = require_same_rows(where.ranks, in, [&] {
      auto const first = [&] {
        std::size_t const some = in.layout().count ? 1 : 0;
        if constexpr (is_rows<Out>)
          return std::span(out.data, some);
        else
          return std::span(data_of(out), some);
      }();
      bool const here = is_written_here(where.where, first);
      to.emplace(result_of_each_row<result>("reduce_into", in, out, here));
      require_writable(where.where, "reduce_into", "out", first);
    });
    values_of<result> found(std::size_t(in.layout().count));
    auto* const results = reinterpret_cast<result*>(found.data());
    find_row_results(where, groups, in, op, nan, results);
    write_results(where.where, std::span<result const>(results, found.size()), *to);
  }

 private:
  template <class R, class Op, class F>
  static auto known(distributed<W> const& where, R const& in, Op const& op, nan_policy nan,
                    F const& require) {
    return states_on<distributed<W>>::template all<state<Op, element_of<R>>>(where, op, 0, in, nan,
                                                                             require);
  }
};

}  // namespace tally::detail
