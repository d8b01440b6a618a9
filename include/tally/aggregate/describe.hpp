// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/moments.hpp"
#include "tally/aggregate/sum.hpp"

namespace tally {

// What describe{} finds in one read, of the elements that are not NaN if read with nan = skip.
// `sum`, `mean` and `standard_deviation` have the input's type, or int64_t or uint64_t, double and
// double.
template <element T>
struct description {
  using sum_type = detail::sum_result<T, void>;
  using moment = detail::moment_result<T, void>;
  std::uint64_t count, nan_count;
  sum_type sum;
  moment mean, standard_deviation;
  T minimum, maximum;
  std::int64_t minimum_index, maximum_index;

  // Calls f(name, value) with each of them.
  void each(auto&& f) const {
    f("count", count);
    f("nan_count", nan_count);
    f("sum", sum);
    f("mean", mean);
    f("standard_deviation", standard_deviation);
    f("minimum", minimum);
    f("minimum_index", minimum_index);
    f("maximum", maximum);
    f("maximum_index", maximum_index);
  }
};

struct describe {
  static constexpr char const* name = "describe";
  static constexpr char const* summary =
      "count, sum, mean, standard deviation, least and greatest, in one read";
  template <element T>
  using result = description<T>;
  std::uint64_t ddof = 0;

  template <element T>
  auto on() const {
    detail::described<T> a;
    a.ddof = ddof;
    return a;
  }
};

}  // namespace tally
