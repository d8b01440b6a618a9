// SPDX-License-Identifier: Apache-2.0
//
// The code that several lines of the table share: what adds tiles to the states of an aggregate,
// and its runs.
#include "../held.hpp"
#include "tally/compiled.hpp"
#include "tally/definition/describe.hpp"
#include "tally/definition/dot.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

template <class A, nan_policy Nan>
partial<A> compiled_reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                                  std::uint64_t n, std::uint64_t first) {
  return reduce_on_cpu<A, Nan>(a, threads, in, n, first);
}
template <class A>
typename A::state compiled_small_root_on_cpu(A const& a, elements<typename A::element> const& in,
                                             std::uint64_t n) {
  return small_root_on_cpu(a, in, n);
}

template <class A>
owner<running<typename A::element>> compiled_run_of(A const& a, partial<A> const& known) {
  return make_owner<running_of<A>>(a, known);
}

template <class Op, class T>
using parts_in = parts_type<decltype(Op{}.template on<T>())>;

// X(aggregate, T): its parts where NaNs are treated so, and the run; and where there may be NaNs.
#define WITH(NAN, ...)                                                               \
  template partial<__VA_ARGS__> compiled_reduce_on_cpu<__VA_ARGS__, NAN>(            \
      __VA_ARGS__ const&, int, elements<__VA_ARGS__::element> const&, std::uint64_t, \
      std::uint64_t);
#define PARTS(O, T)                                                 \
  WITH(propagate, parts_in<O, T>)                                   \
  template owner<running<parts_in<O, T>::element>> compiled_run_of( \
      parts_in<O, T> const&, partial<parts_in<O, T>> const&);
#define BOTH(O, T) WITH(skip, parts_in<O, T>) PARTS(O, T)
#define TREE(O, T)                                                           \
  BOTH(O, T)                                                                 \
  template parts_in<O, T>::state compiled_small_root_on_cpu<parts_in<O, T>>( \
      parts_in<O, T> const&, elements<parts_in<O, T>::element> const&, std::uint64_t);
#define ENDS(O, T) PARTS(O, T) WITH(propagate, extreme_values<T>)
#define BOTH_ENDS(O, T) ENDS(O, T) WITH(skip, parts_in<O, T>) WITH(skip, extreme_values<T>)
#define PAIRS(O, T) PARTS(O, pair<T>)

#define INTEGERS(O) TALLY_EACH_integer(PARTS, O)
#define ELEMENTS(O) INTEGERS(O) TALLY_EACH_floating(BOTH, O)

#define BITS INTEGERS(bit_and) INTEGERS(bit_or) INTEGERS(bit_xor)
#define DESCRIPTIONS ELEMENTS(describe)
#define DOTS TALLY_EACH_integer(PAIRS, dot) TALLY_EACH_floating_pair(BOTH, dot)
#define EXTREMA TALLY_EACH_integer(ENDS, minimum) TALLY_EACH_floating(BOTH_ENDS, minimum)
#define FAST_SUMS TALLY_EACH_floating(TREE, fast_sum)
#define LOGIC ELEMENTS(count_nonzero)
#define MOMENTS ELEMENTS(mean) ELEMENTS(variance)
#define PRODUCTS INTEGERS(product) TALLY_EACH_floating(TREE, product)
#define SUMS ELEMENTS(sum)
TALLY_FAMILY

}  // namespace tally::detail
