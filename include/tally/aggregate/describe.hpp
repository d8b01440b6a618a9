// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/moments.hpp"
#include "tally/aggregate/single_ends.hpp"
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

template <class T>
struct counts {
  std::uint64_t count, nan_count;
};

// What describe{} counts, from sums: NaNs are in the sum, unless they are skipped.
template <element T>
struct count_elements : moments<T, false> {
  using result = counts<T>;
  TALLY_HD result lower(typename moments<T, false>::state const& s,
                        std::uint64_t skipped = 0) const {
    return {s.count, s.sum.nan + skipped};
  }
};

// What describe{} gives, made of the results of others: how a device computes it.
template <element T, class Parts>
struct by_parts : Parts {
  using pieces = typename Parts::result;
  using result = description<T>;
  static TALLY_HD result assemble(pieces const& p) {
    auto const n = get<0>(p);
    auto const ends = get<4>(p);
    return {n.count,      n.nan_count,  get<1>(p),       get<2>(p),      get<3>(p),
            ends.minimum, ends.maximum, ends.minimum_at, ends.maximum_at};
  }
  result lower(typename Parts::state const& s) const { return assemble(Parts::lower(s)); }
};

}  // namespace detail

struct describe {
  std::uint64_t ddof = 0;

  template <element T>
  struct bound : detail::both<moments<T, true>, extrema<T>> {
    using typename detail::both<moments<T, true>, extrema<T>>::state;
    using result = description<T>;
    static constexpr char const* name = "describe";
    std::uint64_t ddof = 0;

    auto on_device() const {
      auto const parts =
          detail::bind_all<T>(detail::count_elements<T>{}, tally::sum{}, tally::mean{},
                              tally::standard_deviation{ddof}, detail::single_ends<T>{});
      return detail::by_parts<T, std::remove_const_t<decltype(parts)>>{parts};
    }
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
      r.mean = detail::mean_of<moment, true, T>(s.a);
      r.standard_deviation = detail::variance_of<moment, T>(s.a, ddof, true);
      r.minimum = detail::extremum<T, true>{}.lower(s.b);
      r.maximum = detail::extremum<T, false>{}.lower(s.b);
      r.minimum_index = detail::arg_extremum<T, true>{}.lower(s.b);
      r.maximum_index = detail::arg_extremum<T, false>{}.lower(s.b);
      return r;
    }
  };
  template <element T>
  auto on() const {
    bound<T> b;
    b.ddof = ddof;
    return b;
  }
};

}  // namespace tally
