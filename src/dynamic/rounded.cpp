// SPDX-License-Identifier: Apache-2.0
//
// Results of other types than the one that comes without asking.
#include "table.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"

namespace tally::detail {
namespace {

// The aggregate whose results are the states of A, and how A's state comes out of one.
template <class State>
struct state_for;
template <element T, bool Squares>
struct state_for<moment_sums<T, Squares>> {
  using op = moments_state;
  static moment_sums<T, Squares> from(moment_sums<T, true> const& s) {
    if constexpr (Squares)
      return s;
    else
      return moments<T, true>::template part<moments<T, false>>(s);
  }
};
template <floating T>
struct state_for<exact_state<T>> {
  using op = sum_state;
  static exact_state<T> const& from(exact_state<T> const& s) { return s; }
};
template <floating T>
struct state_for<exact_products<T>> {
  using op = dot_state;
  static exact_products<T> const& from(exact_products<T> const& s) { return s; }
};

// Results that a GPU does not round itself: it tells states, exactly, which are rounded here.
template <class Op, class T>
struct rounded_here {
  using aggregate = decltype(made<Op>({}).template on<T>());
  using state = state_for<typename aggregate::state>;

  static void on_gpu(aggregate_options const& options, gpu& where, any_input const& in,
                     nan_policy nan, any_result& out) {
    if constexpr (gpu_calls) {
      auto const a = made<Op>(options).template on<T>();
      auto const s = state::from(
          reduce(where, arrays_of<T>::in(in), typename state::op{}, reduce_options{nan}));
      require_elements(a, s);
      with_standard_arithmetic([&] { put(out, a.lower(s)); });
    }
  }
  static void by_gpu(aggregate_options const& options, gpu& where, gpu_rows const& in,
                     nan_policy nan, rows_places const& to) {
    if constexpr (gpu_calls) {
      auto const a = made<Op>(options).template on<T>();
      auto const states =
          reduce(where, arrays_of<T>::rows_in(in), typename state::op{}, reduce_options{nan});
      with_standard_arithmetic([&] {
        lower_rows(where, states, sizeof(typename aggregate::result), to,
                   [&](auto const& s, any_result& out) { put(out, a.lower(state::from(s))); });
      });
    }
  }
};

template <class Op, class T>
constexpr aggregate_entry rounded_entry() {
  auto e = entry<Op, T>();
  if constexpr (!kernel_is_held<Op, stored_input<T>>)
    e.on_gpu = rounded_here<Op, T>::on_gpu, e.rows_on_gpu = rounded_here<Op, T>::by_gpu;
  return e;
}

}  // namespace

#define TALLY_ENTRY(O, T) rounded_entry<O, T>(),

std::span<aggregate_entry const> rounded_entries() {
  static constexpr aggregate_entry entries[] = {TALLY_ROUNDED(TALLY_ENTRY)};
  return entries;
}

}  // namespace tally::detail
