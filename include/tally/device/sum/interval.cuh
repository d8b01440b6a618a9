// SPDX-License-Identifier: Apache-2.0
//
// Sums of which both ends are known: one is added up rounding down, the other rounding up. The
// exact sum lies between them. Where both round to the same result, it does, too; where they are
// equal, no addition has rounded.
#pragma once

#include <cuda_runtime.h>

#include "tally/cuda/instructions.cuh"
#include "tally/device/sum/significands.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// x, a sum of elements In or an end of it, by rounding to odd: narrower results come from it by
// rounding to nearest. What is cut off first leaves its trace in the last bit (S. Boldo and G.
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
// odd", IEEE Transactions on Computers 57, 2008).
template <floating In>
__device__ float rounded_to_odd(double x) {
  if constexpr (sizeof(In) == 2) {
    // 21 bits, of which the last has a trace of the others, and some of these make a float: what
    // has more than 21 is a normal one, because the elements are multiples of 2^-133.
    int const low = __double2loint(x);
    return __double2float_rz(__hiloint2double(with_trace_of(__double2hiint(x), low), low));
  } else {
    float const towards_zero = __double2float_rz(x);
    return from_bits<float>(to_bits(towards_zero) | std::uint32_t(double(towards_zero) != x));
  }
}

// The same, rounded once.
template <floating Out, floating In>
__device__ Out rounded(double x) {
  if constexpr (std::is_same_v<Out, double>)
    return x;
  else if constexpr (std::is_same_v<Out, float>)
    return __double2float_rn(x);
  else
    return half_of<Out>(halves_of<Out>(rounded_to_odd<In>(x), 0), 0);
}

// x + y, rounded once.
template <floating Out, floating In>
__device__ Out rounded_pair(double x, double y) {
  if constexpr (std::is_same_v<Out, double>) {
    return x + y;
  } else {
    auto const [sum, rest] = detail::two_sum(x, y);
    auto bits = to_bits(sum);
    if (rest != 0 && bits % 2 == 0) bits += (rest < 0) == (sum < 0) ? 1 : -1;
    return rounded<Out, In>(from_bits<double>(bits));
  }
}

// A value's bits where a double has them, which is exact for subnormal ones, too, and takes fewer
// instructions than a conversion: they make 1 / scale of the value.
template <floating In>
struct moved_to_double {
  using f = format<In>;
  static constexpr double scale =
      __builtin_bit_cast(double, std::uint64_t(2 * 1023 - f::bias) << 52);  // 2^(1023 - bias)

  static __device__ double of(In x) {
    constexpr int places = 11 - (f::width - f::precision);  // a double's exponent has more bits
    constexpr unsigned not_sign = ~0u >> 1, kept = ~not_sign | not_sign >> places;
    auto const bits = std::uint32_t(to_bits(x)) << (32 - f::width);
    unsigned const low = f::precision > 20 ? bits << (32 - places) : 0;
    return __hiloint2double(int(unsigned(int(bits) >> places) & kept), int(low));
  }
};

struct interval {
  double least, most;

  template <floating In>
  __device__ void add(In x) {
    if constexpr (std::is_same_v<In, double>) {
      least = __dadd_rd(least, x), most = __dadd_ru(most, x);
    } else {
      using moved = moved_to_double<In>;
      double const y = moved::of(x);
      least = __fma_rd(y, moved::scale, least), most = __fma_ru(y, moved::scale, most);
    }
  }
  __device__ interval operator+(interval const& other) const {
    return {__dadd_rd(least, other.least), __dadd_ru(most, other.most)};
  }
  TALLY_HD bool is_exact() const { return least == most; }
};

// What lies in head + [least, most]: sums of 106 bits are exact.
struct long_interval {
  double head, least, most;

  template <floating In>
  __device__ void add(In x) {
    auto const [sum, rest] = detail::two_sum(head, as_double(x));
    *this = {sum, __dadd_rd(least, rest), __dadd_ru(most, rest)};
  }
  __device__ long_interval operator+(long_interval const& other) const {
    auto const [sum, rest] = detail::two_sum(head, other.head);
    return {sum, __dadd_rd(__dadd_rd(least, other.least), rest),
            __dadd_ru(__dadd_ru(most, other.most), rest)};
  }
  // The same with as much of it as possible in the head.
  __device__ long_interval normalised() const {
    auto const [sum, rest] = detail::two_sum(head, least);
    return {sum, rest, __dadd_ru(rest, __dadd_ru(most, -least))};
  }
  TALLY_HD bool is_exact() const { return least == most; }
};

__device__ inline long_interval const& lengthened(long_interval const& x) { return x; }
__device__ inline long_interval lengthened(interval const& x) {
  return {x.least, 0, __dadd_ru(x.most, -x.least)};
}

// The ways by which a running sum becomes results. Each adds elements, and says of a result whether
// it is in doubt: at once, or when all have been added. Narrow results come from floats, which are
// rounded two at once.

// Whether a sum of elements In that is not zero may become a zero, which has its sign.
template <floating Out, floating In>
inline constexpr bool vanishes = format<Out>::lowest > format<In>::lowest;

// Both ends, rounded.
struct rounded_interval : interval {
  __device__ rounded_interval(long_interval const& before, interval const& here) {
    least = __dadd_rd(before.head, __dadd_rd(before.least, here.least));
    most = __dadd_ru(before.head, __dadd_ru(before.most, here.most));
  }
  __device__ rounded_interval(long_interval const& before, long_interval const& here)
      : rounded_interval(before + here, interval{}) {}
  template <floating Out, floating In>
  __device__ Out round(bool& doubt) const {
    Out const down = rounded<Out, In>(least), up = rounded<Out, In>(most);
    doubt |= !(as_real(down) == as_real(up));
    if constexpr (vanishes<Out, In>) doubt |= as_real(up) == 0 && !is_exact();
    return up;
  }
  struct floats {
    float down, up;
  };
  template <floating In>
  __device__ floats ends() const {
    return {rounded_to_odd<In>(least), rounded_to_odd<In>(most)};
  }
  template <floating Out>
  static __device__ unsigned round(floats const& a, floats const& b, bool& doubt) {
    unsigned const down = halves_of<Out>(a.down, b.down), up = halves_of<Out>(a.up, b.up);
    doubt |= halves_differ<Out>(down, up);
    return up;
  }
  __device__ bool has_lost() const { return false; }
};

// The same in fewer instructions: more results are in doubt.
struct twice_rounded_interval : rounded_interval {
  using rounded_interval::rounded_interval;
  template <floating In>
  __device__ floats ends() const {
    return {__double2float_rd(least), __double2float_ru(most)};
  }
};

// One end, rounded, which is the sum if at the end it equals the other: of elements of few bits,
// whose sums fit into a double.
struct exact_or_nothing : rounded_interval {
  using rounded_interval::rounded_interval;
  template <floating Out, floating In>
  __device__ Out round(bool&) const {
    return rounded<Out, In>(most);
  }
  template <floating In>
  __device__ float ends() const {
    return rounded_to_odd<In>(most);
  }
  template <floating Out>
  static __device__ unsigned round(float a, float b, bool&) {
    return halves_of<Out>(a, b);
  }
  __device__ bool has_lost() const { return !is_exact(); }
};

// Both ends of 106 bits, rounded.
struct rounded_long_interval : long_interval {
  template <class Here>
  __device__ rounded_long_interval(long_interval const& before, Here const& here)
      : long_interval((before + lengthened(here)).normalised()) {}
  template <floating Out, floating In>
  __device__ Out round(bool& doubt) const {
    Out const down = rounded_pair<Out, In>(head, least), up = rounded_pair<Out, In>(head, most);
    doubt |= !(as_real(down) == as_real(up));
    if constexpr (vanishes<Out, In>) doubt |= as_real(up) == 0 && !is_exact();
    return up;
  }
  __device__ bool has_lost() const { return false; }
};

// Whether such a sum rounds two results at once.
template <class Sum, class Out, class In>
inline constexpr bool rounds_pairs = false;
template <class Sum, half_word Out, class In>
  requires requires(Sum const& sum) { sum.template ends<In>(); }
inline constexpr bool rounds_pairs<Sum, Out, In> = !vanishes<Out, In>;

}  // namespace tally::device
