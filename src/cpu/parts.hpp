// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold the code which several lines of the table share: what adds tiles to the
// states of an aggregate, and its runs.
#pragma once

#include "each_type.hpp"
#include "held.hpp"

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
owner<running<typename A::element>> start_parts(A const& a) {
  return make_owner<running_of<A>>(a);
}

}  // namespace tally::detail

#define TALLY_PARTS_OF(NAN, ...)                                                              \
  template partial<__VA_ARGS__> compiled_reduce_on_cpu<__VA_ARGS__, NAN>(                     \
      __VA_ARGS__ const&, int, elements<typename __VA_ARGS__::element> const&, std::uint64_t, \
      std::uint64_t);
#define TALLY_PARTS(...)                 \
  TALLY_PARTS_OF(propagate, __VA_ARGS__) \
  template owner<running<typename __VA_ARGS__::element>> start_parts(__VA_ARGS__ const&);
#define TALLY_PARTS_BOTH(...) TALLY_PARTS_OF(skip, __VA_ARGS__) TALLY_PARTS(__VA_ARGS__)
#define TALLY_TREE(...)                                                         \
  TALLY_PARTS_BOTH(__VA_ARGS__)                                                 \
  template typename __VA_ARGS__::state compiled_small_root_on_cpu<__VA_ARGS__>( \
      __VA_ARGS__ const&, elements<typename __VA_ARGS__::element> const&, std::uint64_t);
