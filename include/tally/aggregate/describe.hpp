// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/moments.hpp"
#include "tally/aggregate/sum.hpp"

namespace tally {

// What describe{} finds in one read, of the elements that are not NaN if read with nan = skip.
// `sum`, `mean` and `standard_deviation` have the input's type, or int64_t or uint64_t, double and
// double.
template <element T>
struct description {
  using sum_type = typename decltype(basic_sum<>{}.on<T>())::result;
  using moment = detail::moment_result<T, void>;
  std::uint64_t count, nan_count;
  sum_type sum;
  moment mean, standard_deviation;
  T minimum, maximum;
  std::int64_t minimum_index, maximum_index;
};

namespace detail {

template <element T>
struct described : both<moments<T, true>, extrema<T>> {
  using typename both<moments<T, true>, extrema<T>>::state;
  using result = description<T>;
  static constexpr char const* name = "describe";
  std::uint64_t ddof = 0;

  bool empty(state const& s) const { return s.a.count == 0; }
  void require(state const& s) const {
    if (empty(s)) throw error("describe: the array is empty");
  }
  result lower(state const& s) const {
    using moment = typename result::moment;
    result r;
    r.count = s.a.count;
    r.nan_count = s.b.nan;
    if constexpr (integer<T>)
      r.sum = typename result::sum_type(s.a.sum.finite.modulo_2_64());
    else
      r.sum = s.a.sum.result();
    r.mean = mean_of<moment, true, T>(s.a);
    r.standard_deviation = variance_of<moment, T>(s.a, ddof, true);
    r.minimum = extremum<T, true>{}.lower(s.b);
    r.maximum = extremum<T, false>{}.lower(s.b);
    r.minimum_index = arg_extremum<T, true>{}.lower(s.b);
    r.maximum_index = arg_extremum<T, false>{}.lower(s.b);
    return r;
  }
};

}  // namespace detail

struct describe {
  std::uint64_t ddof = 0;

  template <element T>
  auto on() const {
    detail::described<T> a;
    a.ddof = ddof;
    return a;
  }
};

}  // namespace tally
