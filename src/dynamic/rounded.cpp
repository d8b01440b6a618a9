// SPDX-License-Identifier: Apache-2.0
//
// Results of other types than the one that comes without asking.
#include "rows.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"

namespace tally::detail {
namespace {

// States, which a GPU tells exactly; results are rounded here.
template <element T, bool Squares>
moment_sums<T, Squares> state_on_gpu(std::type_identity<moment_sums<T, Squares>>, gpu& where,
                                     any_input const& in, nan_policy nan) {
  auto const s = reduce(where, arrays_of<T>::in(in), moments_state{}, reduce_options{nan});
  if constexpr (Squares)
    return s;
  else
    return moments<T, true>::template part<moments<T, false>>(s);
}
template <floating T>
exact_state<T> state_on_gpu(std::type_identity<exact_state<T>>, gpu& where, any_input const& in,
                            nan_policy nan) {
  return reduce(where, arrays_of<T>::in(in), sum_state{}, reduce_options{nan});
}
template <floating T>
exact_products<T> state_on_gpu(std::type_identity<exact_products<T>>, gpu& where,
                               any_input const& in, nan_policy nan) {
  return reduce(where, arrays_of<pair<T>>::in(in), dot_state{}, reduce_options{nan});
}

template <class Op, class T>
void round_on_gpu(aggregate_options const& options, gpu& where, any_input const& in, nan_policy nan,
                  any_result& out) {
  auto const a = made<Op>(options).template on<T>();
  using state = typename decltype(a)::state;
  auto const s = state_on_gpu(std::type_identity<state>{}, where, in, nan);
  require_elements(a, s);
  with_standard_arithmetic([&] { put(out, a.lower(s)); });
}

template <class Op, class T>
constexpr aggregate_row rounded_row() {
  auto r = row<Op, T>();
  if constexpr (!kernel_is_held<Op, stored_input<T>>) r.on_gpu = round_on_gpu<Op, T>;
  return r;
}

}  // namespace

#define TALLY_ROW(O, T) rounded_row<O, T>(),

std::span<aggregate_row const> rounded_rows() {
  static constexpr aggregate_row rows[] = {TALLY_ROUNDED(TALLY_ROW)};
  return rows;
}

}  // namespace tally::detail
