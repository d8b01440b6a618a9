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

  using told_by = asked<moments_state, tally::describe>;
  static state told(moment_sums<T, true> const& m, description<T> const& r, std::uint64_t n) {
    state s{m, {}};
    if (m.count > 0) {
      if (is_nan(r.minimum))
        s.b = extrema<T>::nan_at(r.minimum_index);
      else
        s.b.least = extrema<T>::end_at(r.minimum, r.minimum_index),
        s.b.greatest = extrema<T>::end_at(r.maximum, r.maximum_index);
    }
    s.b.nan = n - m.count + m.sum.nan;
    return s;
  }
  static void pack(byte_writer& out, state const& s) {
    moments<T, true>::pack(out, s.a);
    out.put(s.b.nan);
    extrema<T>::pack_kind(out, s.b, s.b.least, [&] {
      for (auto const* e : {&s.b.least, &s.b.greatest})
        out.put(from_order_key<T>(e->value)), out.put(e->at);
    });
    if (s.b.first_nan >= 0) out.put(s.b.first_nan);
  }
  static state unpack(byte_reader& in) {
    state s;
    s.a = moments<T, true>::unpack(in);
    auto const nan = in.get<std::uint64_t>();
    s.b = extrema<T>::unpack_kind(
        in,
        [&] {
          typename extrema<T>::state ends;
          for (auto* e : {&ends.least, &ends.greatest}) {
            T const x = extrema<T>::unpack_value(in);
            *e = extrema<T>::end_at(x, extrema<T>::unpack_index(in));
          }
          return ends;
        },
        [&] { return extrema<T>::nan_at(extrema<T>::unpack_index(in)); });
    s.b.nan = nan;
    return s;
  }
};

}  // namespace detail

}  // namespace tally
