// SPDX-License-Identifier: Apache-2.0
//
// For states on a GPU of operators and aggregates of one's own, and of other inputs than arrays and
// pairs of them: with this header, and gpu_aggregates.cuh for Tally's aggregates, their kernels are
// compiled where reduce(gpu, ..., as_state{...}) is called, or add() of a reducer.
#pragma once

#include "tally/cpu_operators.hpp"
#include "tally/gpu/states.hpp"
#include "tally/gpu/told_rows.hpp"
#include "tally/gpu_reduce_rows.cuh"

namespace tally::detail {

template <class Op, class In>
struct states_here {
  using T = typename In::element;
  static owner<running<T>> array(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                                 std::uint64_t first) {
    return run_of(parts_of(bind_reduce<T>(op)),
                  told_on_gpu<Op, In>::array(there, op, nan, in, first));
  }
  static void rows(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                   std::uint64_t first, owner<running<T>>* known, std::uint64_t* counts) {
    auto const sizes = sizes_of(there, in.layout());
    auto const found = told_of_rows_on_gpu<Op, In>::rows(there, op, nan, in, first, sizes);
    for (std::size_t r = 0; r < found.size(); ++r) {
      known[r] = run_of(parts_of(bind_reduce<T>(op)), found[r]);
      counts[r] = sizes[r];
    }
  }
};

}  // namespace tally::detail
