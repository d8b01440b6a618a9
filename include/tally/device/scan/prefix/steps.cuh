// SPDX-License-Identifier: Apache-2.0
//
// Steps from an element to the next one in a lane's registers, of one or two instructions each, for
// aggregates whose own states and results take many.
#pragma once

#include <type_traits>

#include "tally/aggregate/names.hpp"
#include "tally/device/input/warp_tile.cuh"

namespace tally::device {

// steps_of<A>, where an aggregate has some, says
//
//   sum                      what a lane has in registers; none() is that of no elements
//   nothing()                an element that makes no difference: it stands where there is none
//   lift(x)                  the sum of an element
//   combine(earlier, later)  that of two, in the direction of the scan
//   start(state), state_of(sum)
//                            that of what is before, and back
//   fold(x)                  the sum of a batch
//   put(results, k, before, sum)
//                            the k-th result is that of the sum, behind another one's, which has
//                            been put; but for what settle() does
//   settle(results, last, before, x, reverse)
//                            makes results of sums up to `last`, of a batch behind a state, those
//                            of A
//
// and if sums are not always certain
//
//   is_certain(sum)          whether it tells the state; it does not where one before it did not
//   state_behind(before, x, reverse)
//                            what the sum of an element, or of a batch, behind a state does not
//                            tell
struct no_steps {};
template <class A>
struct steps_of : no_steps {};
template <floating T>
struct steps_of<tree_sum<T>>;  // steps_of_numbers.cuh
template <floating T>
struct steps_of<tree_product<T>>;
template <element T, bool Least>
  requires(!std::is_same_v<T, bool>)
struct steps_of<running_extremum<T, Least>>;

template <class A>
concept has_steps = !std::is_base_of_v<no_steps, steps_of<A>>;

// All elements of a batch one after another.
template <class Steps, class Batch>
__device__ auto fold_in_order(Batch const& x) {
  auto sum = Steps::lift(x[0]);
#pragma unroll
  for (int k = 1; k < Batch::size; ++k) sum = Steps::combine(sum, Steps::lift(x[k]));
  return sum;
}

// Goes on from `sum`: each result is that of the elements up to its own.
template <class Steps, class Batch, class Results>
__device__ auto scan_in_order(typename Steps::sum sum, Batch const& x, Results& out) {
#pragma unroll
  for (int k = 0; k < Batch::size; ++k) {
    auto const before = sum;
    sum = Steps::combine(sum, Steps::lift(x[k]));
    Steps::put(out, k, before, sum);
  }
  return sum;
}

// Each element takes the place of the one behind it, and `first` that of the first.
template <class Batch, class T>
__device__ void delay(Batch& x, T const& first) {
  asm volatile("");  // else each element is selected, also where nothing is delayed
#pragma unroll
  for (int k = Batch::size - 1; k > 0; --k) x.set(k, x[k - 1]);
  x.set(0, first);
}

// The results of a batch behind a state. Returns the state behind both.
template <has_steps A, class Batch, class Results>
__device__ typename A::state scan_by_steps(typename A::state const& before, Batch x, bool exclusive,
                                           bool reverse, Results& out) {
  using steps = steps_of<A>;
  typename A::element const last = x[Batch::size - 1];
  if (exclusive) delay(x, steps::nothing());
  auto const sum = scan_in_order<steps>(steps::start(before), x, out);
  steps::settle(out, sum, before, x, reverse);
  auto const through = exclusive ? steps::combine(sum, steps::lift(last)) : sum;
  if constexpr (requires { steps::is_certain(through); })
    if (!steps::is_certain(through))
      return steps::state_behind(steps::state_behind(before, x, reverse), last, reverse);
  return steps::state_of(through);
}

// Calls visit(k, batch) with a lane's elements from the k-th on: those that do not count make no
// difference. By vectors, in a loop whose code is short, where results go back by vectors, too.
template <class Tile, class In, class Out>
inline constexpr bool by_vectors = Tile::each > 1 && sizeof(In) == sizeof(Out) && sizeof(In) <= 2;
template <class A, class Tile, class Visit>
__device__ void each_batch(Tile const& tile, bool skips_nan, Visit visit) {
  using element = typename A::element;
  auto const nothing = steps_of<A>::nothing();
  auto const counting = [&](auto x) {
    if constexpr (has_nan<element>)
      if (skips_nan) {
#pragma unroll
        for (int k = 0; k < x.size; ++k)
          if (is_nan(x[k])) x.set(k, nothing);
      }
    return x;
  };
  if constexpr (by_vectors<Tile, element, typename A::result>) {
#pragma unroll 1
    for (int k = 0; k < Tile::items && unsigned(k) < tile.count; k += Tile::each)
      visit(k, counting(tile.vector(k, nothing)));
  } else {
    items_of<element, Tile::items> x;
    tile.read(x);
    if (!tile.is_whole()) {
#pragma unroll
      for (int k = 0; k < Tile::items; ++k)
        if (!tile.has(k)) x.set(k, nothing);
    }
    visit(0, counting(x));
  }
}

}  // namespace tally::device
