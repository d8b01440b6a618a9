// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "ladder/operators.cuh"
#include "ladder/rung.hpp"
#include "ladder/scan/judge_scan.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `scan` share: everything but how they scan. A scan gives each of n
// elements what all elements up to it come to. Operators need to be associative, not to commute.
namespace ladder::scan {

constexpr unsigned most_threads = 1024;  // of a block
constexpr std::size_t largest_state = 16;

// Calls run(problem, operator).
template <class T, class Run>
void with_operator(problem const& p, Run run) {
  switch (p.op) {
    case operation::minimum: return run(p, minimum<T>{});
    case operation::maximum: return run(p, maximum<T>{});
    case operation::recurrence: return run(p, recurrence<T>{});
    default: return run(p, sum<T>{});
  }
}

template <class Op>
typename Op::element const* elements_of(problem const& p) {
  return static_cast<typename Op::element const*>(p.in);
}
template <class Op>
typename Op::result* results_of(problem const& p) {
  return static_cast<typename Op::result*>(p.out);
}

// A rung of this ladder, where enqueue(problem, operator) enqueues it.
template <class Enqueue>
rung scan_rung(rung r, Enqueue enqueue, form gives = {}) {
  using enum operation;
  if (r.operations.empty()) r.operations = {sum, minimum, maximum, recurrence};
  r.elements = {element::float32, element::int32};
  r.inputs = {data::plain, data::hard, data::nan};
  r.out_alignment = [](problem const& p) { return result_bytes(p); };
  r.out_bytes = [=](problem const& p) { return results(gives, p) * result_bytes(p); };
  r.must_move = [=](problem const& p) { return p.n * 4 + results(gives, p) * result_bytes(p); };
  r.enqueue = [enqueue](problem const& p) {
    p.type == element::float32 ? with_operator<float>(p, enqueue) : with_operator<int>(p, enqueue);
  };
  r.judge = [=](outcome const& run) { return judge_scan(gives, run); };
  return r;
}

// A rung of one block of at most most_threads: enqueue(block, operator, in, n, out, stream).
template <class Enqueue>
rung one_block(rung r, unsigned limit, Enqueue enqueue, form gives = {}) {
  r.block = most_threads;
  r.fixed_shape = true;
  if (!r.elements_a_thread) r.elements_a_thread = 1;
  r.usual_n = most_threads;
  r.limit = limit;
  r.verified_sizes = {1023, 1024, 1025, limit - 1, limit};
  return scan_rung(
      r,
      [=](problem const& p, auto op) {
        using Op = decltype(op);
        enqueue(p.block, op, elements_of<Op>(p), unsigned(p.n), results_of<Op>(p), p.stream);
      },
      gives);
}

// What one element comes to.
template <class Op>
__device__ typename Op::state lifted(typename Op::element x) {
  if constexpr (requires { Op::lift(x); })
    return Op::lift(x);
  else
    return x;
}

// Tell an operator that takes notes: that the place `to` now holds x, of what `from` held, combined
// with its own or only `copied`; and that a step ends.
template <class Op>
__device__ void note(Op& op, unsigned from, unsigned to, typename Op::state const& x,
                     bool copied = false) {
  if constexpr (requires { op.note(from, to, x, copied); }) op.note(from, to, x, copied);
}
template <class Op>
__device__ void next_step(Op& op) {
  if constexpr (requires { op.next_step(); }) op.next_step();
}

}  // namespace ladder::scan
