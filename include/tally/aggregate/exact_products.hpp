// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/exact_accumulator.hpp"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/zipped.hpp"

namespace tally {

// The exact sum of any number of products of two values of type T, kept as exact_state keeps the
// sum of values. What is not finite is counted by what the product is: infinity * 0 is a NaN.
template <floating T>
struct exact_products {
  detail::square_digits<T> finite;
  std::uint64_t nan = 0, positive_infinity = 0, negative_infinity = 0;

  TALLY_FN void add(T a, T b) {
    if (!is_finite(a) || !is_finite(b)) return add_special(a, b);
    auto const x = take_apart(a), y = take_apart(b);
    bool const negative = x.negative != y.negative;
    int const exponent = x.exponent + y.exponent;
    if constexpr (sizeof(T) < 8) {
      finite.add(negative, x.significand * y.significand, exponent);
    } else {
      auto const product = static_cast<unsigned __int128>(x.significand) * y.significand;
      finite.add(negative, std::uint64_t(product), exponent);
      finite.add(negative, std::uint64_t(product >> 64), exponent + 64);
    }
  }

  // Adds a product, or a part of one.
  TALLY_FN void add(double x) {
    if (is_finite(x)) return finite.add(x);
    count(is_nan(x), x < 0);
  }

  TALLY_HD void merge(exact_products const& other) {
    finite.add(other.finite);
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }

  // The sum, rounded once to R; a sum of exactly zero is +0.
  template <floating R = T>
  TALLY_HD R result() const {
    if (nan || (positive_infinity && negative_infinity)) return quiet_nan<R>();
    if (positive_infinity || negative_infinity) return infinity<R>(negative_infinity != 0);
    return finite.template round<R>();
  }

  void write(byte_writer& out) const {
    for (auto const n : {nan, positive_infinity, negative_infinity}) out.put(n);
    finite.write(out);
  }
  static exact_products read(byte_reader& in) {
    exact_products out;
    for (auto* const n : {&out.nan, &out.positive_infinity, &out.negative_infinity})
      *n = in.get<std::uint64_t>();
    out.finite = decltype(out.finite)::read(in);
    return out;
  }

 private:
  TALLY_FN void count(bool is_nan, bool negative) {
    ++(is_nan ? nan : negative ? negative_infinity : positive_infinity);
  }
  TALLY_COLD void add_special(T a, T b) {
    auto const magnitude = [](T x) { return bits_of<T>(to_bits(x) << 1); };
    bool const none = is_nan(a) || is_nan(b) || magnitude(a) == 0 || magnitude(b) == 0;
    count(none, (to_bits(a) ^ to_bits(b)) & format<T>::sign);
  }
};

namespace detail {

// Adds a tile of pairs to exact_products: the products as doubles, which are summed as others are.
template <floating T>
struct products_accumulator {
  exact_accumulator<double> sums;
  std::uint64_t in_doubles = 0;

  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, exact_products<T>& s) {
    constexpr int parts = std::is_same_v<T, double> ? 2 : 1;
    double values[parts][Tile::size];
    if (!multiply(t, values)) return add_pairs(t, s);
    for (auto const& v : values)
      sums.add(tile<double, propagate, Tile::vector_bytes>{v, t.count, t.first}, s);
    ++in_doubles;
  }
  void flush(exact_products<T>& s) {
    sums.flush(s);
    count_path(path::dot_products, in_doubles);
  }

 private:
  // Products of at most 48 bits are doubles; infinities and NaN come out as they should.
  template <class Tile>
  static TALLY_CPU_FN bool multiply(Tile const& t, double (&value)[1][Tile::size]) {
    for (int k = 0; k < t.count; ++k) {
      double const product = to_double(t.data.first[k]) * to_double(t.data.second[k]);
      value[0][k] = t.live(k) ? product : 0;
    }
    return true;
  }

  // a * b = product + error, if neither is too large or too small.
  template <class Tile>
  static TALLY_CPU_FN bool multiply(Tile const& t, double (&value)[2][Tile::size]) {
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
    std::uint64_t inexact = 0;
    TALLY_CLAIM(begin());
    for (int k = 0; k < t.count; ++k) {
      double const a = t.live(k) ? t.data.first[k] : 0, b = t.live(k) ? t.data.second[k] : 0;
      double const product = a * b, size = product < 0 ? -product : product;
      bool const zero = (product == 0) & ((a == 0) | (b == 0));
      inexact |= zero | ((size >= 0x1p-960) & (size <= 0x1p1000)) ? 0 : 1;
      value[0][k] = product;
      value[1][k] = __builtin_fma(a, b, -product);
      TALLY_CLAIM(product("products.error", a, b, product, value[1][k]));
      TALLY_CLAIM(within("products.size", product, 0x1p1000));
    }
    TALLY_CLAIM(settle(!inexact));
    return !inexact;
#else
    return false;  // the caller's compiler may fuse what must stay apart
#endif
  }

  static TALLY_CPU_FN double to_double(float x) { return x; }
  template <class Half>
  static TALLY_CPU_FN double to_double(Half x) {
    return to_float(x);
  }

  template <class Tile>
  static TALLY_CPU_COLD void add_pairs(Tile const& t, exact_products<T>& s) {
    for (int k = 0; k < t.count; ++k)
      if (t.live(k)) s.add(t.data.first[k], t.data.second[k]);
    count_path(path::dot_elements);
  }
};

}  // namespace detail
}  // namespace tally
