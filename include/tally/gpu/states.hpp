// SPDX-License-Identifier: Apache-2.0
//
// States on a GPU: what results of the library's kernels tell (told.hpp) of what cores would know.
#pragma once

#include "tally/gpu/reduce.hpp"
#include "tally/state.hpp"

namespace tally::detail {

// What the library holds compiled, as reduce_compiled_on_gpu: what `op` knows of the elements of
// `in`, of which the first has the index `first`; and of each row of `in`, with how many it has.
template <class Op, class In>
owner<running<typename In::element>> known_compiled_on_gpu(gpu_context& context, Op const& op,
                                                           nan_policy nan, In const& in,
                                                           std::uint64_t first);
template <class Op, class R>
void known_of_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, R const& in,
                                   std::uint64_t first, owner<running<typename R::element>>* known,
                                   std::uint64_t* counts);

// Complete where states of other inputs, and of operators and aggregates of one's own, are made
// where they are asked for: with gpu_states.cuh.
template <class Op, class In>
struct states_here;

template <class Op, class In>
inline constexpr bool state_is_held = false;
template <class Op, class In>
  requires named_aggregate<Op, typename In::element>
inline constexpr bool state_is_held<Op, In> =
    in_table<state_op<Op>, typename In::element> &&
    is_one_of<In, stored_input<typename In::element>, stored_rows<typename In::element>>;

template <class Op, class In>
inline constexpr bool has_state_kernel =
    state_is_held<Op, In> || requires { sizeof(states_here<Op, In>); };
template <class... Ops, class In>
inline constexpr bool has_state_kernel<joint<Ops...>, In> = (has_state_kernel<Ops, In> && ...);

template <class Op, class In>
struct known_on {
  using T = typename In::element;
  static_assert(has_state_kernel<Op, In>,
                "the library holds no kernel for states of this aggregate or operator on this "
                "input: include <tally/gpu_states.cuh> in a source that nvcc compiles");

  static owner<running<T>> array(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                                 std::uint64_t first) {
    if constexpr (state_is_held<Op, In>)
      return known_compiled_on_gpu<state_op<Op>, In>(there, without_type(op), nan, in, first);
    else
      return states_here<Op, In>::array(there, op, nan, in, first);
  }
  static void rows(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                   std::uint64_t first, owner<running<T>>* known, std::uint64_t* counts) {
    if constexpr (state_is_held<Op, In>)
      known_of_rows_compiled_on_gpu<state_op<Op>, In>(there, without_type(op), nan, in, first,
                                                      known, counts);
    else
      states_here<Op, In>::rows(there, op, nan, in, first, known, counts);
  }
};

template <>
struct states_on<gpu> {
  template <class Op, class In, class F>
  static void visit(gpu const& where, In const& in, F const& f) {
    f(where, in);
  }
  template <class Op, input In>
  static void append(gpu const& where, known_run<typename In::element>& run, Op const& op,
                     In const& in, nan_policy nan) {
    entered_gpu const there(where.context());
    require_reach(*there, "reduce", "in", in);
    run.known->append(*known_on<Op, In>::array(*there, op, nan, in, run.end()));
  }
  template <readable_rows R, class Op>
  static void append_rows(gpu const& where, std::vector<state<Op, typename R::element>>& all,
                          as_state<Op> const& op, R const& in, nan_policy nan) {
    require_readable("reduce", in, false);
    entered_gpu const there(where.context());
    require_reach_of_rows(*there, "reduce", in);
    std::vector<owner<running<typename R::element>>> known(all.size());
    std::vector<std::uint64_t> counts(all.size());
    known_on<Op, R>::rows(*there, op.op, nan, in, op.first, known.data(), counts.data());
    for (std::size_t r = 0; r < all.size(); ++r)
      all[r].append({op.op, {std::move(known[r]), op.first, counts[r]}});
  }
  template <readable_rows R, class... Ops>
  static void append_rows(gpu const& where,
                          std::vector<state<joint<Ops...>, typename R::element>>& all,
                          as_state<joint<Ops...>> const& op, R const& in, nan_policy nan) {
    auto const each = std::apply(
        [&](auto const&... one) {
          return std::tuple(states_of_rows(where, in, as_state{one, op.first}, nan)...);
        },
        op.op.ops);
    for (std::size_t r = 0; r < all.size(); ++r)
      std::apply([&](auto const&... one) { all[r].append({op.op, one[r]...}); }, each);
  }
};

}  // namespace tally::detail
