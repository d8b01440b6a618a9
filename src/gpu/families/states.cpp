// SPDX-License-Identifier: Apache-2.0
//
// States from a GPU, of what the table (tally/compiled.hpp) lists: by kernels that are compiled
// elsewhere.
#include "tally/gpu/states.hpp"
#include "../../cpu/held.hpp"
#include "../../cuda/instances.hpp"
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

#define SUMS TALLY_INTEGER_SUMS(TALLY_KNOWN) TALLY_SUMS(TALLY_KNOWN) TALLY_FAST_SUMS(TALLY_KNOWN)
#define PRODUCTS TALLY_PRODUCTS(TALLY_KNOWN) TALLY_BITS(TALLY_KNOWN) TALLY_LOGIC(TALLY_KNOWN)
#define EXTREMA TALLY_EXTREMA(TALLY_KNOWN) TALLY_ARG_EXTREMA(TALLY_KNOWN)
#define MOMENTS TALLY_MEANS(TALLY_KNOWN) TALLY_VARIANCES(TALLY_KNOWN) TALLY_NORMS(TALLY_KNOWN)
#define DESCRIPTIONS      \
  TALLY_DOTS(TALLY_KNOWN) \
  TALLY_DESCRIPTIONS(TALLY_KNOWN) TALLY_INTEGER_DESCRIPTIONS(TALLY_KNOWN) TALLY_STATES(TALLY_KNOWN)
TALLY_FAMILY

}  // namespace tally::detail
