// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/extrema.hpp"

namespace tally {

// peak_to_peak{}: the greatest element minus the least, exact and rounded once to the input's type;
// of integers, which cannot always hold it, as uint64_t. (It is NumPy's ptp, which wraps around.)
struct peak_to_peak {
  static constexpr char const* name = "peak_to_peak";
  static constexpr char const* summary = "the greatest element minus the least";
  template <element T>
  using result = std::conditional_t<integer<T>, std::uint64_t, T>;

  template <element T>
  auto on() const {
    return detail::of_extremum_values<T, peak_to_peak>{};
  }
  template <element T>
  static TALLY_HD result<T> of(detail::extremum_values<T> ends) {
    if constexpr (integer<T>) {
      return std::uint64_t(ends.maximum) - std::uint64_t(ends.minimum);
    } else if constexpr (sizeof(T) == 2) {
      // Figueroa (1995): a difference rounded to 53 bits and then to 11 or fewer is rounded once.
      return number(convert<T>(double(ends.maximum) - double(ends.minimum)));
    } else {
      return number(ends.maximum - ends.minimum);
    }
  }

 private:
  template <floating T>
  static TALLY_HD T number(T x) {
    return is_nan(x) ? quiet_nan<T>() : x;
  }
};

}  // namespace tally
