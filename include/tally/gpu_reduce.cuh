// SPDX-License-Identifier: Apache-2.0
//
// For reductions on a GPU by operators and aggregates of one's own: with this header, their kernels
// are compiled where reduce(gpu, ...) is called. Include it in every source that calls with such an
// operator, or in none: reduce(tally::best(), ...) asks whether there is a kernel. Light on
// purpose: it brings no aggregate of Tally's, no scan and no selection.
#pragma once

#include "tally/device/reduce/launch.cuh"
#include "tally/gpu/reduce.hpp"
#include "tally/reduce.hpp"

namespace tally::detail {

template <class Op, class T>
  requires(!requires { typename Op::template result<T>; })
struct reductions_here<Op, T> {};

}  // namespace tally::detail
