// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/aggregate/describe.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/definition/moments.hpp"

namespace tally {
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

}  // namespace tally
