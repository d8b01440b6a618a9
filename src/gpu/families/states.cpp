// SPDX-License-Identifier: Apache-2.0
//
// States from a GPU, of what the table (tally/compiled.hpp) lists: by kernels that are compiled
// elsewhere.
#include "tally/gpu/states.hpp"
#include "../../cpu/held.hpp"
#include "tally/cpu/running_of.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/gpu/told_rows.hpp"

namespace tally::detail {

template <class Op, class In>
owner<running<typename In::element>> known_compiled_on_gpu(gpu_context& context, Op const& op,
                                                           nan_policy nan, In const& in,
                                                           std::uint64_t first) {
  using T = typename In::element;
  return run_of(parts_of(op.template on<T>()),
                told_on_gpu<Op, In>::array(context, op, nan, in, first));
}

template <class Op, class R>
void known_of_rows_compiled_on_gpu(gpu_context& context, Op const& op, nan_policy nan, R const& in,
                                   std::uint64_t first, owner<running<typename R::element>>* known,
                                   std::uint64_t* counts) {
  using T = typename R::element;
  auto const sizes = sizes_of(context, in.layout());
  auto const found = told_of_rows_on_gpu<Op, R>::rows(context, op, nan, in, first, sizes);
  for (std::size_t r = 0; r < found.size(); ++r) {
    known[r] = run_of(parts_of(op.template on<T>()), found[r]);
    counts[r] = sizes[r];
  }
}

#define HOLD(O, T)                                                                \
  template owner<running<T>> known_compiled_on_gpu<O, stored_input<T>>(           \
      gpu_context&, O const&, nan_policy, stored_input<T> const&, std::uint64_t); \
  template void known_of_rows_compiled_on_gpu<O, stored_rows<T>>(                 \
      gpu_context&, O const&, nan_policy, stored_rows<T> const&, std::uint64_t,   \
      owner<running<T>>*, std::uint64_t*);
#define HOLD_LINE(ELEMENTS, O) TALLY_EACH_##ELEMENTS(HOLD, O)

#define SUMS TALLY_INTEGER_SUMS(HOLD_LINE) TALLY_SUMS(HOLD_LINE) TALLY_FAST_SUMS(HOLD_LINE)
#define PRODUCTS TALLY_PRODUCTS(HOLD_LINE) TALLY_BITS(HOLD_LINE) TALLY_LOGIC(HOLD_LINE)
#define EXTREMA TALLY_EXTREMA(HOLD_LINE) TALLY_ARG_EXTREMA(HOLD_LINE)
#define MOMENTS TALLY_MEANS(HOLD_LINE) TALLY_VARIANCES(HOLD_LINE) TALLY_NORMS(HOLD_LINE)
#define DESCRIPTIONS    \
  TALLY_DOTS(HOLD_LINE) \
  TALLY_DESCRIPTIONS(HOLD_LINE) TALLY_INTEGER_DESCRIPTIONS(HOLD_LINE) TALLY_STATES(HOLD_LINE)
TALLY_FAMILY

}  // namespace tally::detail
