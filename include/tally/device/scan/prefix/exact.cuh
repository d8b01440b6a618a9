// SPDX-License-Identifier: Apache-2.0
//
// Exact prefix sums by blocks: each is rounded once. A running sum is an interval, whose ends are
// added up rounding down and up. Where both ends round to one result, that is it, ties included.
// What is left is settled by intervals of 106 bits, or by all digits.
#pragma once

#include "tally/device/scan/prefix/exact_parts.cuh"

namespace tally::device {

template <floating In, floating Out, class Number, class Counter = uncounted>
struct exact_prefix : exact_parts<In, Out, Number, Counter> {
  using parts_of = exact_parts<In, Out, Number, Counter>;
  using typename parts_of::before, typename parts_of::part, typename parts_of::start,
      typename parts_of::total;
  // What results are made of at first.
  using first_sum =
      std::conditional_t<std::is_same_v<Out, double>, rounded_long_interval, rounded_interval>;

  template <class Tile>
  __device__ void results(Tile const& tile, total const* totals, unsigned warp, start const& tiles,
                          before const& parts, part const& here, Out* all) const {
    using enum exact_way;
    if (after && tile.is_last)
      this->store_after(totals, warp, tiles, tiles.seen | parts.seen | totals[warp].seen);
    if ((tiles.seen | parts.seen | totals[warp].seen) == 0) {
      auto const base = (tiles.sum + parts.sum).normalised();
      if constexpr (sizeof(In) == 2) {
        exact_or_nothing const sum(base, here);
        if (__all_sync(~0u, sum.is_exact()) && results_from(tile, sum, all))
          return Counter::took(one_end_rounded);
        if (results_from(tile, twice_rounded_interval(base, here), all))
          return Counter::took(ends_rounded_twice);
      }
      if (results_from(tile, first_sum(base, here), all)) return Counter::took(ends_rounded);
      if constexpr (!std::is_same_v<first_sum, rounded_long_interval>)
        if (longer_results(tile, base, here, all)) return Counter::took(long_ends_rounded);
    }
    if (same_special_results(tile, tiles.seen | parts.seen, totals[warp].seen, all))
      return Counter::took(same_everywhere);
    digit_results(tile, totals, warp, tiles, parts, all);
    Counter::took(results_of_digits);
  }

  static constexpr bool is_certain = false;  // what lanes have by themselves

  // For rows of some lanes each, and for a part of a row by all lanes, behind `c`, which goes on
  // with it. Unless all results are certain, these return false, and have written nothing.
  template <class Tile>
  __device__ bool row_results(Tile const& tile, Out* all) const {
    if (this->first.is_long || this->first.seen != 0) return false;
    part through;
    return sums_through_lanes(tile, through) &&
           lane_results(tile, {this->first.head, this->first.rest, this->first.rest}, through, all);
  }
  template <class Tile>
  __device__ bool part_results(Tile const& tile, typename parts_of::carried& c, Out* all) const {
    part through;
    if (c.is_long || c.seen != 0 || !sums_through_lanes(tile, through)) return false;
    auto const whole = lengthened(warp::broadcast(through, warp_size - 1)).normalised();
    auto const sum = (c.sum + whole).normalised();
    if (!tile.is_last && !(whole.is_exact() && sum.is_exact())) return false;
    if (!lane_results(tile, c.sum, through, all)) return false;
    c.sum = sum;
    return true;
  }

 private:
  using parts_of::add_element, parts_of::after, parts_of::digits_of, parts_of::each_item,
      parts_of::is_double, parts_of::item, parts_of::lane, parts_of::read;
  using typename parts_of::joiner;

  // What the lanes of a tile come to up to each. Returns false if an element is not finite, but for
  // doubles, which then are in doubt.
  template <class Tile>
  __device__ bool sums_through_lanes(Tile const& tile, part& through) const {
    items_of<In, Tile::items> x;
    read(tile, x);
    part sum{};
    finite_check<In> check;
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) sum.add(x[k]);
    if constexpr (!is_double) {
      check.look_at_all(x);
      if (!__all_sync(~0u, check.all_finite())) return false;
    }
    through = warp::inclusive_scan_of(sum, joiner{}, tile.width);
    return true;
  }
  template <class Tile>
  __device__ bool lane_results(Tile const& tile, long_interval const& base, part const& through,
                               Out* all) const {
    part here = warp::shift_up(through);
    if (tile.lane == 0) here = {};
    if constexpr (!is_double) {  // mostly sums of a row are exact
      exact_or_nothing const ends(base, here);
      if (__all_sync(~0u, ends.is_exact()) && results_from(tile, ends, all)) return true;
    }
    if (results_from(tile, first_sum(base, here), all)) return true;
    if constexpr (std::is_same_v<first_sum, rounded_long_interval>)
      return false;
    else
      return longer_lane_results(tile, base, all);
  }
  template <class Tile>
  __device__ __noinline__ bool longer_lane_results(Tile tile, long_interval base, Out* all) const {
    items_of<In, Tile::items> x;
    read(tile, x);
    long_interval sum{};
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) sum.add(x[k]);
    auto before = warp::shift_up(warp::inclusive_scan_of(sum, joiner{}, tile.width));
    if (tile.lane == 0) before = {};
    return results_from(tile, rounded_long_interval(base, before), all);
  }

  // Puts out results, unless one of the warp's is in doubt, and the row's total if it is here.
  template <class Tile, class Sum>
  __device__ bool results_from(Tile const& tile, Sum sum, Out* all) const {
    items_of<In, Tile::items> x;
    items_of<Out, Tile::items> out;
    read(tile, x);
    In const last = x[Tile::items - 1];
    if (tile.exclusive) {  // results are one element behind
      asm volatile("");    // else each element is selected, also where the scan is inclusive
#pragma unroll
      for (int k = Tile::items - 1; k > 0; --k) x.set(k, x[k - 1]);
      x.set(0, In{});
    }
    bool doubt = false;
    if constexpr (rounds_pairs<Sum, Out, In> && Tile::items % 2 == 0) {
#pragma unroll
      for (int k = 0; k < Tile::items; k += 2) {
        sum.add(x[k]);
        auto const first = sum.template ends<In>();
        sum.add(x[k + 1]);
        out.set_pair(k, sum.template round<Out>(first, sum.template ends<In>(), doubt));
      }
    } else {
#pragma unroll
      for (int k = 0; k < Tile::items; ++k) {
        sum.add(x[k]);
        out.set(k, sum.template round<Out, In>(doubt));
      }
    }
    bool const has_total = tile.is_last && all;
    Out total{};
    if (has_total) {
      if (tile.exclusive) sum.add(last);
      total = sum.template round<Out, In>(doubt);
    }
    if (__any_sync(~0u, doubt || sum.has_lost())) return false;
    tile.template replace<Out>(out);
    if (has_total && tile.has_last()) all[tile.row] = total;
    return true;
  }
  template <class Tile>
  __device__ __noinline__ bool longer_results(Tile tile, long_interval base, part here,
                                              Out* all) const {
    long_interval before = lengthened(here);
    if constexpr (!is_double) {
      if (__any_sync(~0u, !here.is_exact())) {
        items_of<In, Tile::items> x;
        read(tile, x);
        long_interval sum{};
#pragma unroll
        for (int k = 0; k < Tile::items; ++k) sum.add(x[k]);
        before = warp::shift_up(warp::inclusive_scan(sum, joiner{}));
        if (lane() == 0) before = {};
      }
    }
    return results_from(tile, rounded_long_interval(base, before), all);
  }

  // Puts out one result everywhere, unless what is not finite before the part makes several.
  template <class Tile>
  static __device__ bool same_special_results(Tile const& tile, unsigned before, unsigned here,
                                              Out* all) {
    auto const result = special_values::sum<Out>(before);
    if (before == 0 || to_bits(result) != to_bits(special_values::sum<Out>(before | here)))
      return false;
    items_of<Out, Tile::items> out;
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) out.set(k, result);
    tile.template replace<Out>(out);
    if (tile.is_last && all && tile.has_last()) all[tile.row] = result;
    return true;
  }

  // Puts out results of all digits, up to the first value that is not finite.
  template <class Tile>
  __device__ __noinline__ void digit_results(Tile tile, total const* totals, unsigned warp,
                                             start const& tiles, before const& parts,
                                             Out* all) const {
    unsigned seen = tiles.seen | parts.seen;
    Number sum{};
    if (seen == 0) {
      auto before = digits_of(totals, warp);
      if (tiles.is_long)
        before.add_digits([&](int i) { return tiles.digits[i]; });
      else
        before.add(tiles.sum);
      sum = before.whole();
      add_lanes_before(tile, sum);
    }
    unsigned mine = 0;
    each_item(tile, [&](In x) { mine |= special_values::of(x); });
    mine = warp::shift_up(warp::inclusive_scan(mine, [](unsigned a, unsigned b) { return a | b; }));
    if (lane() > 0) seen |= mine;
    auto const now = [&] {
      return seen != 0 ? special_values::sum<Out>(seen) : sum.template round<Out>();
    };
    Out settled[Tile::items];
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      In const x = item(tile, k);
      if (tile.exclusive) settled[k] = now();
      seen |= special_values::of(x);
      if (seen == 0) add_element(sum, x);
      if (!tile.exclusive) settled[k] = now();
    }
    if (tile.is_last && all && tile.has_last()) all[tile.row] = now();
    items_of<Out, Tile::items> out;
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) out.set(k, settled[k]);
    tile.template replace<Out>(out);
  }
  // What the lanes before the calling one have, which is finite where it matters.
  template <class Tile>
  __device__ void add_lanes_before(Tile const& tile, Number& sum) const {
    Number mine{};
    each_item(tile, [&](In x) {
      if (is_finite(x)) add_element(mine, x);
    });
    mine.carry();
    TALLY_ROLL
    for (int i = 0; i < Number::digits; ++i) {
      std::int64_t const through = warp::inclusive_scan(mine.digit[i], plus{});
      sum.digit[i] += through - mine.digit[i];
    }
    sum.pending = warp_size;
    sum.carry();
  }
};

template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>> {
  using sum_state = exact_state<State>;
  static auto make(auto const&, bool skips_nan, bool, std::optional<sum_state> const& before) {
    return exact_prefix<In, Out, detail::sum_digits<State>>{
        {{skips_nan, sum_before_of(before.value_or(sum_state{}))}}};
  }
};

}  // namespace tally::device
