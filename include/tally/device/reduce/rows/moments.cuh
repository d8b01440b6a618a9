// SPDX-License-Identifier: Apache-2.0
//
// What lanes add up for means, variances and sums of squares: they enclose the sums that these are
// made of, so that the results of both ends are mostly one; of integers they have them exactly.
#pragma once

#include "tally/device/input/packed.cuh"
#include "tally/device/reduce/rows/lanes_of_sums.cuh"
#include "tally/device/sum/interval.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// What lies between two ends, rounded, if both have one result.
template <floating R>
__device__ bool round_between(interval const& ends, R& out) {
  out = rounded<R, float>(ends.most);
  return as_real(rounded<R, float>(ends.least)) == as_real(out);
}
// A sum between two ends over n, of less than 2^53, rounded.
template <floating R>
__device__ bool mean_between(interval const& sum, std::uint64_t n, R& out) {
  double const count = double(n);
  if constexpr (std::is_same_v<R, double>) {
    out = __ddiv_rn(sum.most, count);
    return sum.is_exact();
  } else {
    interval const ends{__ddiv_rd(sum.least, count), __ddiv_ru(sum.most, count)};
    // A quotient may vanish, and a zero has its sign.
    return round_between(ends, out) && (as_real(out) != 0 || ends.is_exact());
  }
}
// What is not negative, or its root, rounded.
template <floating R>
__device__ bool root_between(interval const& x, bool take_root, R& out) {
  if constexpr (std::is_same_v<R, double>) {
    out = take_root ? __dsqrt_rn(x.most) : x.most;
    return x.is_exact();
  } else {
    if (!take_root) return round_between(x, out);
    return round_between({__dsqrt_rd(x.least), __dsqrt_ru(x.most)}, out);
  }
}

// An exact sum over n that is so close to the middle between two doubles that an approximation does
// not tell which of these it is: on which side of the middle, times n, is the sum?
__device__ inline bool mean_near_middle(long_interval const& sum, std::uint64_t n, double& out) {
  double const count = double(n);
  auto const mean = detail::double_double{sum.head, sum.least} / detail::double_double{count, 0};
  double const wide = 0x1p-90 * fabs(mean.high);
  double const least = mean.high + (mean.low - wide), most = mean.high + (mean.low + wide);
  double const product = detail::rounded_product(least, count);
  long_interval beyond{sum.head - product, 0, 0};
  beyond.add(sum.least), beyond.add(-__fma_rn(least, count, -product));
  beyond.add(-count * (0.5 * (most - least)));
  bool const neighbours =
      to_bits(least) + 1 == to_bits(most) || to_bits(most) + 1 == to_bits(least);
  bool const known = n >> 53 == 0 && fabs(least) > 0x1p-900 && fabs(most) < 0x1p900;
  if (!(sum.is_exact() && beyond.is_exact() && neighbours && known)) return false;
  auto const [side, rest] = detail::two_sum(beyond.head, beyond.least);
  bool const tie = side == 0;
  out = tie ? (to_bits(least) % 2 == 0 ? least : most) : side < 0 ? least : most;
  return true;
}

// The sum of some elements, and that of their squares.
template <class Total, bool Squares, class Second = Total>
struct both_moments {
  Total first;
  Second second;
  __device__ both_moments operator+(both_moments const& other) const {
    return {first + other.first, second + other.second};
  }
};
template <class Total, class Second>
struct both_moments<Total, false, Second> {
  Total first;
  __device__ both_moments operator+(both_moments const& other) const {
    return {first + other.first};
  }
};

// The sum of some elements and that of their squares, if Squares, are in moments_between, of
// elements that are narrower than the doubles at the ends; in long_moments, of any; or they are
// whole_moments, of integers. Each has
//
//   of               both
//   add(x)           adds an element
//   sum(out), mean(n, out), squares(take_root, out), variance(n, ddof, take_root, out)
//                    writes what is made of n elements, rounded once, if that is not in doubt

template <floating T, bool Squares>
struct moments_between {
  static constexpr bool has_squares = Squares;
  both_moments<interval, Squares> of;

  __device__ void add(T x) {
    double const y = as_double(x);
    of.first = {__dadd_rd(of.first.least, y), __dadd_ru(of.first.most, y)};
    if constexpr (Squares)
      of.second = {__fma_rd(y, y, of.second.least), __fma_ru(y, y, of.second.most)};
  }

  template <floating R>
  __device__ bool sum(R& out) const {
    return round_sum<T>(of.first, out);
  }
  template <floating R>
  __device__ bool mean(std::uint64_t n, R& out) const {
    out = quiet_nan<R>();
    if (n == 0 || is_nan(of.first.most)) return true;
    return n >> 53 == 0 && mean_between(of.first, n, out);
  }
  template <floating R>
  __device__ bool squares(bool take_root, R& out) const {
    out = quiet_nan<R>();
    return is_nan(of.second.most) || root_between(of.second, take_root, out);
  }
  // (n * squares - sum^2) / (n * (n - ddof)), from which no double overflows.
  template <floating R>
  __device__ bool variance(std::uint64_t n, std::uint64_t ddof, bool take_root, R& out) const {
    out = quiet_nan<R>();
    if (n <= ddof || !is_finite(of.second.most)) return true;
    if (n >> 53) return false;
    double const a = fabs(of.first.least), b = fabs(of.first.most);
    bool const around_zero = of.first.least <= 0 && of.first.most >= 0;
    double const near = around_zero ? 0 : a < b ? a : b, far = a < b ? b : a;
    double const count = double(n), rest = double(n - ddof);
    double const least = __fma_rd(count, of.second.least, -__dmul_ru(far, far));
    double const most = __fma_ru(count, of.second.most, -__dmul_rd(near, near));
    interval const ends{__ddiv_rd(least > 0 ? least : 0, __dmul_ru(count, rest)),
                        __ddiv_ru(most, __dmul_rd(count, rest))};
    return root_between(ends, take_root, out);
  }
};

// With 106 bits. A variance is the same of elements less any number: where that is the first of
// them, those of equal ones are seen to be zero.
template <floating T, bool Squares>
struct long_moments {
  static constexpr bool has_squares = Squares;
  both_moments<long_interval, Squares> of;

  __device__ void add(T x) { add_with_error(as_double(x), 0); }
  __device__ void add_less(T x, double less) {
    auto const [difference, error] = detail::two_sum(as_double(x), -less);
    add_with_error(difference, error);
  }

  template <floating R>
  __device__ bool sum(R& out) const {
    return round_sum<T>(of.first, out);
  }
  template <floating R>
  __device__ bool mean(std::uint64_t n, R& out) const {
    out = quiet_nan<R>();
    if (n == 0 || detail::quick_mean(approximated(of.first), n, out)) return true;
    if constexpr (std::is_same_v<R, double>)
      return mean_near_middle(of.first.normalised(), n, out);
    else
      return false;
  }
  template <floating R>
  __device__ bool squares(bool take_root, R& out) const {
    if (!take_root) return round_sum<double>(of.second, out);
    auto const x = approximated(of.second);
    return is_ample(x) && detail::quick_squares(x, true, out);
  }
  template <floating R>
  __device__ bool variance(std::uint64_t n, std::uint64_t ddof, bool take_root, R& out) const {
    out = quiet_nan<R>();
    if (n <= ddof) return true;
    auto const sum = approximated(of.first), squares = approximated(of.second);
    return is_ample(sum) && is_ample(squares) &&
           detail::quick_variance(sum, squares, n, ddof, take_root, out);
  }

 private:
  // Adds x + error, and the square of that.
  __device__ void add_with_error(double x, double error) {
    of.first = of.first + long_interval{x, error, error};
    if constexpr (Squares) {
      auto square = product_between(x, x);
      if (error != 0) {
        square.least = __fma_rd(error, error, __fma_rd(2 * error, x, square.least));
        square.most = __fma_ru(error, error, __fma_ru(2 * error, x, square.most));
      }
      of.second = of.second + square;
    }
  }
  // That products of its parts do not vanish.
  static __device__ bool is_ample(detail::approximation const& x) {
    return x.error == 0 || fabs(x.value.high) > 0x1p-400;
  }
  static __device__ detail::approximation approximated(long_interval const& x) {
    auto const s = x.normalised();
    double const width = __dadd_ru(s.most, -s.least);
    return {{s.head, s.least}, width + 0x1p-97 * fabs(s.head), 0};
  }
};

// Exactly, of fewer than 2^31 elements, all of which fit.
template <integer T, bool Squares>
struct whole_moments {
  static constexpr bool has_squares = Squares, large = sizeof(T) == 8;
  static constexpr bool may_exceed = Squares && large;
  using wide = std::conditional_t<large, __int128, std::int64_t>;  // has a square, too
  using total_of_squares = std::conditional_t<sizeof(T) <= 2, std::int64_t, __int128>;
  both_moments<wide, Squares, total_of_squares> of;

  static __device__ bool fits(T x) {
    auto const magnitude = std::uint64_t(std::is_signed_v<T> ? x ^ T(x >> (8 * sizeof(T) - 1)) : x);
    return magnitude >> 46 == 0;
  }
  __device__ void add(T x) {
    using square = std::conditional_t<large, __int128, std::uint64_t>;
    of.first += wide(x);
    if constexpr (Squares) of.second += total_of_squares(square(wide(x)) * square(wide(x)));
  }
  // Adds a vector of elements, several of which are in a word.
  template <class Batch>
  __device__ void add_words(Batch const& x) {
    of.first += sum_of_words<T>(x);
    if constexpr (Squares) of.second += total_of_squares(products_of_words<T>(x, x));
  }

  template <integer R>
  __device__ bool sum(R& out) const {
    out = R(std::uint64_t(of.first));
    return true;
  }
  template <floating R>
  __device__ bool mean(std::uint64_t n, R& out) const {
    out = quiet_nan<R>();
    if (n == 0) return true;
    if (n >> 31) return false;
    auto const sum = double(of.first);
    if (fabs(sum) <= 0x1p53) return mean_between({sum, sum}, n, out);
    return detail::quick_mean(approximated(of.first), n, out);
  }
  template <element R>
  __device__ bool squares([[maybe_unused]] bool take_root, R& out) const {
    if constexpr (integer<R>) {
      out = R(std::uint64_t(of.second));
      return true;
    } else {
      auto const squares = double(of.second);
      if (squares <= 0x1p53) return root_between({squares, squares}, take_root, out);
      return detail::quick_squares(approximated(of.second), take_root, out);
    }
  }
  template <floating R>
  __device__ bool variance(std::uint64_t n, std::uint64_t ddof, bool take_root, R& out) const {
    out = quiet_nan<R>();
    if (n <= ddof) return true;
    if (n >> 31) return false;
    if constexpr (large)
      return detail::quick_variance(approximated(of.first), approximated(of.second), n, ddof,
                                    take_root, out);
    else
      return detail::quick_quotient(
          approximated(__int128(n) * of.second - __int128(of.first) * of.first), n * (n - ddof),
          take_root, out);
  }

 private:
  static __device__ detail::approximation approximated(__int128 x) {
    auto const magnitude = static_cast<unsigned __int128>(x < 0 ? -x : x);
    auto const high = detail::double_double_of(std::uint64_t(magnitude >> 64));
    auto const low = detail::double_double_of(std::uint64_t(magnitude));
    auto const [sum, rest] = detail::two_sum(0x1p64 * high.high, low.high);
    auto const [a, b] = detail::fast_two_sum(sum, rest + (0x1p64 * high.low + low.low));
    double const sign = x < 0 ? -1 : 1;
    return {{sign * a, sign * b}, 0x1p-98 * a, 0};
  }
};

}  // namespace tally::device
