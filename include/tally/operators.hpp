// SPDX-License-Identifier: Apache-2.0
//
// Associative operators, for host and device code. Any callable T(T, T) serves as an operator;
// warp/ and block/ know these by name, and use the hardware's own instructions for them. Sums and
// products of integers wrap around.
#pragma once

#include <limits>
#include <type_traits>

#include "tally/types.hpp"

namespace tally {

namespace detail {

// What sums and products of T are computed in: unsigned for integers, which wrap around.
template <class T>
struct wrapping {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct wrapping<T> {
  using type = std::make_unsigned_t<std::common_type_t<T, int>>;
};

}  // namespace detail

template <integer T, class Op>
struct bitwise;  // aggregate/bits.hpp

namespace detail {

// Makes an aggregate of an operator on bits.
template <class Op>
struct bit_operator {
  template <integer T>
  using result = T;
  template <integer T>
  auto on() const {
    return bitwise<T, Op>{};
  }
};

}  // namespace detail

struct plus {
  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    typename detail::wrapping<T>::type const x(a), y(b);
    return T(x + y);
  }
  template <class T>
  static constexpr T identity = T(-0.0);  // x + -0.0 is x for each x; x + 0.0 is not, for x = -0.0
};

struct multiplies {
  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    typename detail::wrapping<T>::type const x(a), y(b);
    return T(x * y);
  }
  template <class T>
  static constexpr T identity = T(1);
};

// The smaller of two, the left one of equals; a NaN is smaller than every number.
struct smaller {
  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return a <= b || a != a ? a : b;
  }
  template <class T>
  static constexpr T identity =
      std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                           : std::numeric_limits<T>::max();
};

// The larger of two, the left one of equals; a NaN is larger than every number.
struct larger {
  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return a >= b || a != a ? a : b;
  }
  template <class T>
  static constexpr T identity =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                           : std::numeric_limits<T>::lowest();
};

struct bit_and : detail::bit_operator<bit_and> {
  static constexpr char const* name = "bit_and";
  static constexpr char const* summary = "the bitwise and of all elements";

  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return T(a & b);
  }
  template <class T>
  static constexpr T identity = T(-1);
};

struct bit_or : detail::bit_operator<bit_or> {
  static constexpr char const* name = "bit_or";
  static constexpr char const* summary = "the bitwise or of all elements";

  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return T(a | b);
  }
  template <class T>
  static constexpr T identity = T(0);
};

struct bit_xor : detail::bit_operator<bit_xor> {
  static constexpr char const* name = "bit_xor";
  static constexpr char const* summary = "the bitwise exclusive or of all elements";

  template <class T>
  TALLY_FN T operator()(T const& a, T const& b) const {
    return T(a ^ b);
  }
  template <class T>
  static constexpr T identity = T(0);
};

}  // namespace tally
