// SPDX-License-Identifier: Apache-2.0
//
// Steps by which an array is made of another, element by element (elementwise.hpp): each is called
// with every index below some number, in any order, by cores or by a GPU's threads.
#pragma once

#include "tally/dtype.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/strides.hpp"

namespace tally::detail {

template <integer T>
inline constexpr T lowest_of = std::numeric_limits<T>::lowest();
template <integer T>
inline constexpr T highest_of = std::numeric_limits<T>::max();

// A floating-point number as an integer: toward zero, the nearest that there is; 0 of NaN.
template <integer To, floating From>
TALLY_HD To toward_zero(From given) {
  auto const x = convert<double>(given);
  if (is_nan(x)) return 0;
  if (x <= double(lowest_of<To>)) return lowest_of<To>;
  return x >= double(highest_of<To>) ? highest_of<To> : To(x);
}

// Any element as another type has it: floating-point numbers are rounded to nearest, integers taken
// modulo 2^bits.
template <element To, element From>
TALLY_HD To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return take_apart(x).significand != 0;
  } else if constexpr (is_one_of<To, float, double> && is_one_of<From, float, double>) {
    return is_nan(x) ? quiet_nan<To>() : To(x);  // the machine rounds to nearest, too
  } else if constexpr (is_one_of<To, float, double> && integer<From>) {
    return To(x);
  } else if constexpr (floating<To> && floating<From>) {
    return convert<To>(x);
  } else if constexpr (floating<To>) {
    auto const p = take_apart(x);
    if (p.significand == 0) return from_bits<To>(0);
    int const shift = leading_zeros(p.significand);
    return round_to<To>(p.negative, p.significand << shift, 63 - shift, false);
  } else if constexpr (floating<From>) {
    return toward_zero<To>(x);
  } else {
    return To(x);
  }
}

// The sum of two: rounded once, or modulo 2^bits.
template <element T>
TALLY_HD T added(T a, T b) {
  if constexpr (is_one_of<T, float, double>)
    return a + b;
  else if constexpr (floating<T>)
    return convert<T>(convert<float>(a) +
                      convert<float>(b));  // a float has more than twice the bits
  else if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return T(bits_of<T>(bits_of<T>(a) + bits_of<T>(b)));
}

// Calls f(std::type_identity<T>{}) with the type that `t` names, on a device too.
template <class F, class... Ts>
TALLY_HD void visit_type(dtype t, F const& f, type_list<Ts...>) {
  (void)((t == dtype_of<Ts> ? (f(std::type_identity<Ts>{}), true) : false) || ...);
}

// Converts the elements of an array to those of another, in steps of bytes.
struct convert_elements {
  strided_copy loops;
  dtype from, to;

  TALLY_HD void operator()(std::uint64_t i) const {
    auto const at = place_of(loops, loops.first + i);
    visit_type(
        from,
        [&]<class From>(std::type_identity<From>) {
          auto const x = *reinterpret_cast<From const*>(loops.from + at.from);
          visit_type(
              to,
              [&]<class To>(std::type_identity<To>) {
                *reinterpret_cast<To*>(loops.to + at.to) = converted<To>(x);
              },
              element_types{});
        },
        element_types{});
  }
};

// Writes so many of an element's bits to all of an array.
struct fill_elements {
  strided_copy loops;
  std::uint64_t bits;

  TALLY_HD void operator()(std::uint64_t i) const {
    auto* const to = loops.to + place_of(loops, loops.first + i).to;
    if (loops.bytes == 1) *reinterpret_cast<std::uint8_t*>(to) = std::uint8_t(bits);
    if (loops.bytes == 2) *reinterpret_cast<std::uint16_t*>(to) = std::uint16_t(bits);
    if (loops.bytes == 4) *reinterpret_cast<std::uint32_t*>(to) = std::uint32_t(bits);
    if (loops.bytes == 8) *reinterpret_cast<std::uint64_t*>(to) = bits;
  }
};

// Adds the elements of an array to those of another.
struct add_elements {
  strided_copy loops;
  dtype type;

  TALLY_HD void operator()(std::uint64_t i) const {
    auto const at = place_of(loops, loops.first + i);
    visit_type(
        type,
        [&]<class T>(std::type_identity<T>) {
          auto* const to = reinterpret_cast<T*>(loops.to + at.to);
          *to = added(*to, *reinterpret_cast<T const*>(loops.from + at.from));
        },
        element_types{});
  }
};

// Takes the elements at indices along one of the loops, in which `from` does not move: index i is
// that of the i-th place. Where it is negative nothing is written.
struct take_elements {
  strided_copy loops;
  std::int64_t const* indices;
  std::int64_t by;

  TALLY_HD void operator()(std::uint64_t i) const {
    if (indices[i] < 0) return;
    auto const at = place_of(loops, i);
    auto const* const from = loops.from + at.from + indices[i] * by;
    for (unsigned b = 0; b < loops.bytes; ++b) loops.to[at.to + b] = from[b];
  }
};

// Eight elements of a mask as the bits of a byte, from the lowest one on. Whoever wrote the mask may
// have set other bits of an element than the lowest.
struct pack_mask {
  bool const* mask;
  std::uint64_t size;
  std::uint8_t* bits;

  TALLY_HD void operator()(std::uint64_t byte) const {
    auto const* const elements = reinterpret_cast<unsigned char const*>(mask);
    unsigned all = 0;
    for (unsigned k = 0; k < 8 && 8 * byte + k < size; ++k)
      all |= unsigned(elements[8 * byte + k] != 0) << k;
    bits[byte] = std::uint8_t(all);
  }
};

#define TALLY_ELEMENT_STEPS(X) \
  X(convert_elements) X(fill_elements) X(add_elements) X(take_elements) X(pack_mask)

}  // namespace tally::detail
