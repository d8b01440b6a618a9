// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold the compiled instances, one family each.
#pragma once

#include "tally/cpu/compiled.hpp"

namespace tally::detail {

template <aggregate A, nan_policy Nan>
void compiled_reduce_on_cpu(A const& a, int threads, elements<typename A::element> const& in,
                            std::uint64_t n, std::uint64_t first, partial<A>& into) {
  reduce_on_cpu<A, Nan>(a, threads, in, n, first, into);
}

template <aggregate A, nan_policy Nan>
void compiled_scan_on_cpu(A const& a, int threads, typename A::element const* in,
                          typename A::result* out, std::uint64_t n, std::uint64_t first,
                          scan_shape shape, carry_of<A>& carry) {
  scan_on_cpu<A, Nan>(a, threads, in, out, n, first, shape, carry);
}

}  // namespace tally::detail

#define TALLY_REDUCE(NAN, ...)                                                                \
  template void compiled_reduce_on_cpu<__VA_ARGS__, NAN>(                                     \
      __VA_ARGS__ const&, int, elements<typename __VA_ARGS__::element> const&, std::uint64_t, \
      std::uint64_t, partial<__VA_ARGS__>&);
#define TALLY_SCAN(NAN, ...)                                                   \
  template void compiled_scan_on_cpu<__VA_ARGS__, NAN>(                        \
      __VA_ARGS__ const&, int, typename __VA_ARGS__::element const*,           \
      typename __VA_ARGS__::result*, std::uint64_t, std::uint64_t, scan_shape, \
      carry_of<__VA_ARGS__>&);

#define TALLY_REDUCE_BOTH(...) TALLY_REDUCE(propagate, __VA_ARGS__) TALLY_REDUCE(skip, __VA_ARGS__)
#define TALLY_SCAN_BOTH(...) TALLY_SCAN(propagate, __VA_ARGS__) TALLY_SCAN(skip, __VA_ARGS__)

#define TALLY_NARROW_INTEGERS(X) \
  X(bool)                        \
  X(std::int8_t) X(std::int16_t) X(std::int32_t) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t)
#define TALLY_INTEGERS(X) TALLY_NARROW_INTEGERS(X) X(std::int64_t) X(std::uint64_t)
#define TALLY_FLOATS(X) X(float16) X(bfloat16) X(float) X(double)
