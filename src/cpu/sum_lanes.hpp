// SPDX-License-Identifier: Apache-2.0
//
// Sums and means of rows by lanes: a sum in doubles with the exact error of each addition (Knuth's
// two-sum), those added up, and a bound of what that leaves out. The exact sum lies between two
// doubles; where all between them is rounded to one result, that is the answer.
#pragma once

#include <cmath>

#include "row_lanes.hpp"
#include "tally/definition/moments.hpp"
#include "tally/definition/sum.hpp"

namespace tally::detail {

template <floating T>
TALLY_CPU_FN double as_double(T x) {
  if constexpr (sizeof(T) == 2)
    return to_float(x);
  else
    return x;
}

// Sums in doubles, the sums of their additions' errors, and the sizes of these; or if ToTheLast,
// the sizes of the errors of adding up the errors, so that mostly nothing is left out.
template <bool ToTheLast>
struct lane_sums {
  double sum[lane_count] = {}, errors[lane_count] = {}, sizes[lane_count] = {};

  // What n elements' sum and errors leave out: the sum of the errors is off by n rounding errors of
  // a sum of their sizes at most, or twice that.
  double left_out(int k, std::uint64_t n) const {
    return ToTheLast ? 2 * sizes[k] : sizes[k] * 0x1p-51 * double(n + 8);
  }
};
template <bool ToTheLast>
struct double_lanes {
  using doubles = vec<double, lane_count>;
  using sums = lane_sums<ToTheLast>;
  struct running {
    doubles sum, errors, sizes;
  };
  TALLY_CPU_FN static running load(sums const& s) {
    return {detail::load<doubles>(s.sum), detail::load<doubles>(s.errors),
            detail::load<doubles>(s.sizes)};
  }
  TALLY_CPU_FN static void store(running const& r, sums& s) {
    store_some(r.sum, s.sum, lane_count);
    store_some(r.errors, s.errors, lane_count);
    store_some(r.sizes, s.sizes, lane_count);
  }

  TALLY_CPU_FN static void add(running& s, doubles y) { add_error(s, add_to(s.sum, y)); }
  TALLY_CPU_FN static void add_error(running& s, doubles error) {
    using bits = vec<std::int64_t, lane_count>;
    constexpr auto all_but_sign = std::int64_t(~(std::uint64_t(1) << 63));
    if constexpr (ToTheLast)
      error = add_to(s.errors, error);
    else
      s.errors += error;
    s.sizes += cast<doubles>(cast<bits>(error) & (bits{} + all_but_sign));
  }
  // What others have found, which may be other lanes.
  TALLY_CPU_FN static void append(running& s, running const& other) {
    add(s, other.sum);
    add_error(s, other.errors);
    s.sizes += other.sizes;
  }
  template <int By>
  TALLY_CPU_FN static running turned_by(running const& s) {
    constexpr std::make_integer_sequence<int, lane_count> all;
    return {turned<By>(s.sum, all), turned<By>(s.errors, all), turned<By>(s.sizes, all)};
  }

 private:
  // Returns the error.
  TALLY_CPU_FN static doubles add_to(doubles& all, doubles y) {
    doubles const sum = all + y, moved = sum - all;
    doubles const error = (all - (sum - moved)) + (y - moved);
    all = sum;
    return error;
  }
};

// The lanes' elements.
template <floating T>
TALLY_CPU_FN vec<double, lane_count> lane_doubles(T const* x) {
  vec<double, lane_count> y;
  for (int k = 0; k < lane_count; ++k) y[k] = as_double(x[k]);
  return y;
}

template <floating T, bool ToTheLast>
struct sum_lanes : double_lanes<ToTheLast> {
  using element = T;
  using base = double_lanes<ToTheLast>;
  TALLY_CPU_FN static void add(typename base::running& s, T const* x) {
    base::add(s, lane_doubles(x));
  }
};

// Sums of T, or means, that are rounded to R.
template <floating T, floating R, bool Mean>
struct rounded_lanes {
  // Sums of a few elements are often halfway between two doubles, sums of many seldom.
  using type = sum_lanes<T, !Mean && sizeof(R) == sizeof(double)>;
  using by_vectors = sum_lanes<T, false>;
  static constexpr std::uint64_t longest_row = 128, shortest_by_vectors = 48;
  // Whether by vectors a bound of all errors will do.
  static constexpr bool by_bound = sizeof(T) < sizeof(double) && sizeof(R) < sizeof(double);

  template <class A, bool ToTheLast>
  static bool finish(A const&, lane_sums<ToTheLast> const& s, int k, std::uint64_t n, R& out) {
    double const sum = s.sum[k], sizes = s.sizes[k];
    if (!std::isfinite(sum) || !std::isfinite(sizes) || n == 0) return false;
    if (sizes == 0) return of_exact(sum + s.errors[k], n, out);
    double const rest = s.left_out(k, n);
    double const high = sum + s.errors[k], low = s.errors[k] - (high - sum);
    if (!std::isfinite(high) || std::abs(s.errors[k]) > std::abs(sum)) return false;
    double const wide = rest + std::abs(low) * 0x1p-52;
    return of_interval(high + (low - wide), high + (low + wide), n, out);
  }
  // The result of n elements whose sum is known up to an error, which is 0 if it is exact.
  static bool finish_bounded(double sum, double error, std::uint64_t n, R& out) {
    if (error == 0) return of_exact(sum, n, out);
    return std::isfinite(error) && of_interval(sum - error, sum + error, n, out);
  }

 private:
  // A double at least one before x, and behind it.
  static double below(double x) { return x - (std::abs(x) * 0x1p-52 + 0x1p-1074); }
  static double above(double x) { return x + (std::abs(x) * 0x1p-52 + 0x1p-1074); }
  static R rounded(double x) {
    if constexpr (std::is_same_v<R, float>)
      return float(x);
    else
      return convert<R>(x);
  }
  // A division is rounded, but by the residue it is known to be exact.
  static bool of_exact(double sum, std::uint64_t n, R& out) {
    if constexpr (!Mean) {
      out = rounded(sum);
      return true;
    } else {
      double const mean = sum / double(n);
      if (std::is_same_v<R, double> || std::fma(-mean, double(n), sum) == 0) {
        out = rounded(mean);
        return std::is_same_v<R, double> || std::abs(mean) > 0x1p-900 || sum == 0;
      }
      return of_ends(below(mean), above(mean), out);
    }
  }
  static bool of_interval(double least, double most, std::uint64_t n, R& out) {
    if constexpr (Mean) {
      return of_ends(below(below(least) / double(n)), above(above(most) / double(n)), out);
    } else if constexpr (std::is_same_v<R, double>) {
      out = least;
      return least == most && least != 0;
    } else {
      return of_ends(below(least), above(most), out);
    }
  }
  static bool of_ends(double least, double most, R& out) {
    out = rounded(least);
    return to_bits(out) == to_bits(rounded(most));
  }
};

template <floating T, floating R, floating State>
struct lanes_for<exact_sum<T, R, State>> : rounded_lanes<T, R, false> {};
template <floating T, floating R>
struct lanes_for<exact_mean<T, R>> : rounded_lanes<T, R, true> {};

}  // namespace tally::detail
