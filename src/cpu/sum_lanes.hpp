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

template <floating T, floating R, bool Mean>
struct sum_lanes {
  static constexpr std::uint64_t longest_row = 128;
  using doubles = vec<double, lane_count>;
  struct sums {
    double sum[lane_count] = {}, errors[lane_count] = {}, sizes[lane_count] = {};  // of the errors
  };
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

  TALLY_CPU_FN static void add(running& s, T const* x) {
    using bits = vec<std::int64_t, lane_count>;
    constexpr auto all_but_sign = std::int64_t(~(std::uint64_t(1) << 63));
    doubles y;
    for (int k = 0; k < lane_count; ++k) y[k] = as_double(x[k]);
    doubles const sum = s.sum + y, moved = sum - s.sum;
    doubles const error = (s.sum - (sum - moved)) + (y - moved);
    s.sum = sum;
    s.errors += error;
    s.sizes += cast<doubles>(cast<bits>(error) & (bits{} + all_but_sign));
  }
  static void append(sums& s, sums const& other) {
    for (int k = 0; k < lane_count; ++k) {
      double const sum = s.sum[k] + other.sum[k], moved = sum - s.sum[k];
      double const error = (s.sum[k] - (sum - moved)) + (other.sum[k] - moved);
      s.sum[k] = sum;
      s.errors[k] += other.errors[k] + error;
      s.sizes[k] += other.sizes[k] + std::abs(error);
    }
  }

  static bool finish(sums const& s, int k, std::uint64_t n, R& out) {
    double const sum = s.sum[k], sizes = s.sizes[k];
    if (!std::isfinite(sum) || !std::isfinite(sizes) || n == 0) return false;
    if (sizes == 0) return of_exact(sum, n, out);
    // The errors' own sum is off by n rounding errors of a sum of their sizes at most: twice that.
    double const rest = sizes * 0x1p-51 * double(n + 8);
    double const high = sum + s.errors[k], low = s.errors[k] - (high - sum);
    if (!std::isfinite(high) || std::abs(s.errors[k]) > std::abs(sum)) return false;
    double const wide = rest + std::abs(low) * 0x1p-52;
    return of_interval(high + (low - wide), high + (low + wide), n, out);
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
struct lanes_for<exact_sum<T, R, State>> {
  using type = sum_lanes<T, R, false>;
};
template <floating T, floating R>
struct lanes_for<exact_mean<T, R>> {
  using type = sum_lanes<T, R, true>;
};

}  // namespace tally::detail
