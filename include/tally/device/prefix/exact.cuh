// SPDX-License-Identifier: Apache-2.0
//
// Exact prefix sums by blocks: each is rounded once. A running sum is an interval, whose ends are
// added up rounding down and up. Where both ends round to one result, that is it; where they are
// equal, the sum is exact, and so totals mostly are. What is left is settled by intervals of 106
// bits, or by all digits.
#pragma once

#include "tally/definition/sum.hpp"
#include "tally/device/prefix/exact_totals.cuh"
#include "tally/device/prefix/prefix.cuh"
#include "tally/device/sum/special_values.cuh"
#include "tally/warp/scan.cuh"

namespace tally::device {

template <floating In, floating Out, class Number>
struct exact_prefix {
  using element = In;
  using result = Out;
  static constexpr bool is_double = std::is_same_v<In, double>;
  static constexpr bool is_narrow = sizeof(In) == 2;
  static constexpr int threads = is_double ? 320 : is_narrow ? 256 : 384;
  static constexpr int vectors = is_narrow ? 9 : 7, stages = 5, ahead = 3;
  static constexpr int wave_threads = 512, wave_vectors = 5, wide_wave_vectors = 5;

  using totals_type = exact_totals<In, Number>;
  static constexpr int words = totals_type::words;
  using digits = warp_number<Number>;
  struct total {
    long_interval sum;
    unsigned seen;
    bool is_long;  // the sum is not exact, but these digits are
    std::int64_t digits[Number::digits];
  };
  // What a lane's elements are added up in, and what results are made of at first.
  using part = std::conditional_t<is_double, long_interval, interval>;
  using first_sum =
      std::conditional_t<std::is_same_v<Out, double>, rounded_long_interval, rounded_interval>;
  struct before {
    long_interval sum;
    unsigned seen;
  };
  struct start : before {
    bool is_long;  // the sum is not exact, but these digits are
    std::int64_t digits[Number::digits];
  };
  struct carried : before {
    bool is_long;
    warp_number<Number> digits;
  };
  bool skips_nan, has_init;
  Out init;

  __device__ carried begin() const {
    carried c{};
    if (has_init) c.seen = special_values::of(init);
    if (has_init && c.seen == 0) c.sum.head = as_double(init);
    return c;
  }

  template <class Tile>
  __device__ part gather(Tile const& tile, total& all) const {
    items_of<In, Tile::items> x;
    read(tile, x);
    part sum{};
    finite_check<In> check;
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) {
      sum.add(x[k]);
      if constexpr (!is_double) check.look_at(x[k]);  // else the sum is NaN
    }
    part const through = warp::inclusive_scan(sum, joiner{});
    bool const is_exact = store_exact(lengthened(through).normalised(), all);
    if (!__all_sync(~0u, check.all_finite() && is_exact)) total_of_any(tile, all);
    part const here = warp::shift_up(through);
    return lane() == 0 ? part{} : here;
  }

  __device__ void publish(mailbox const& at, std::uint32_t tile, bool is_last, total const* totals,
                          unsigned warps, before* parts) const {
    bool const there = unsigned(lane()) < warps;
    before through{};
    if (there) through = {totals[lane()].sum, totals[lane()].seen};
    through = warp::inclusive_scan(through, joiner{});
    auto const all = warp::broadcast(through, warp_size - 1);
    if (!is_last)
      totals_type(at).publish(tile, all.sum.normalised(), all.seen,
                              [&] { return digits_of(totals, warps); });
    through = warp::shift_up(through);
    if (lane() == 0) through = {};
    if (there) parts[lane()] = through;
  }

  __device__ void carry(carried& c, mailbox const& at, std::uint32_t from, std::uint32_t to,
                        start& all) const {
    auto const between = totals_type(at).collect(from, to);
    auto const sum = (c.sum + between.sum).normalised();
    c.seen |= between.seen;
    if (c.seen == 0 && (c.is_long || between.is_long || !sum.is_exact()))
      carry_digits(c, between, all);
    else
      c.sum = sum;
    if (lane() == 0) all.sum = c.sum, all.seen = c.seen, all.is_long = c.is_long;
  }

  __device__ void start_in_wave(mailbox const& at, std::uint32_t tile, start& all) const {
    auto c = begin();
    carry(c, at, 0, tile, all);
  }

  template <class Tile>
  __device__ void results(Tile const& tile, total const* totals, unsigned warp, start const& tiles,
                          before const& parts, part const& here, Out* all) const {
    if ((tiles.seen | parts.seen | totals[warp].seen) == 0) {
      auto const base = (tiles.sum + parts.sum).normalised();
      if constexpr (sizeof(In) == 2) {
        exact_or_nothing const sum(base, here);
        if (__all_sync(~0u, sum.is_exact()) && results_from(tile, sum, all)) return;
      }
      if (results_from(tile, first_sum(base, here), all)) return;
      if constexpr (!std::is_same_v<first_sum, rounded_long_interval>)
        if (longer_results(tile, base, here, all)) return;
    }
    results_of_digits(tile, totals, warp, tiles, parts, all);
  }

 private:
  static __device__ int lane() { return int(threadIdx.x % warp_size); }
  struct joiner {
    template <class T>
    __device__ T operator()(T const& a, T const& b) const {
      return a + b;
    }
    __device__ before operator()(before const& a, before const& b) const {
      return {a.sum + b.sum, a.seen | b.seen};
    }
  };
  template <class Tile, class Items>
  __device__ void read(Tile const& tile, Items& x) const {
    tile.read(x);
    if (skips_nan) x.replace_nan_by_zero();
  }

  // The last lane stores the warp's total if it is exact, and returns whether; others return true.
  static __device__ bool store_exact(long_interval const& sum, total& all) {
    if (lane() != warp_size - 1) return true;
    all.sum = sum, all.seen = 0, all.is_long = false;
    return sum.is_exact();
  }
  // The total of any elements. (Functions that are not inline take values: what is referred to
  // would be put into memory, also where they are not called.)
  template <class Tile>
  __device__ __noinline__ void total_of_any(Tile tile, total& all) const {
    items_of<In, Tile::items> x;
    read(tile, x);
    unsigned seen = 0;
    long_interval sum{};
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) {
      seen |= special_values::of(x[k]);
      sum.add(x[k]);
    }
    seen = __reduce_or_sync(~0u, seen);
    sum = warp::inclusive_scan(sum, joiner{}).normalised();
    bool const is_exact = __all_sync(~0u, store_exact(sum, all));
    if (seen == 0 && is_exact) return;
    long_interval bounds{};
    if (seen == 0) {
      sum_digits_of<Number>(x, all.digits);
      digits whole{};
      whole.add_digits([&](int i) { return all.digits[i]; });
      whole.carry();
      bounds = whole.bounds();
    }
    if (lane() == warp_size - 1) all.sum = bounds, all.seen = seen, all.is_long = seen == 0;
  }
  // The sum of the first warps' totals.
  static __device__ digits digits_of(total const* totals, unsigned warps) {
    digits sum{};
    for (unsigned w = 0; w < warps; ++w)
      if (totals[w].is_long)
        sum.add_digits([&](int i) { return totals[w].digits[i]; });
      else
        sum.add(totals[w].sum);
    sum.carry();
    return sum;
  }

  // Of tiles whose sum is not two doubles.
  template <class Collected>
  __device__ __noinline__ void carry_digits(carried& c, Collected const& between,
                                            start& all) const {
    if (!c.is_long) c.digits = {}, c.digits.add(c.sum);
    if (between.is_long)
      c.digits.add_digits([&](int i) { return between.digits.mine[i / warp_size]; });
    else
      c.digits.add(between.sum);
    c.digits.carry();
    c.sum = c.digits.bounds(), c.is_long = !c.sum.is_exact();
    c.digits.each_digit([&](int i, std::int64_t x) { all.digits[i] = x; });
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
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) {
      sum.add(x[k]);
      out.set(k, sum.template round<Out, In>(doubt));
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

  // Puts out results of all digits, up to the first value that is not finite.
  template <class Tile>
  __device__ __noinline__ void results_of_digits(Tile tile, total const* totals, unsigned warp,
                                                 start const& tiles, before const& parts,
                                                 Out* all) const {
    items_of<In, Tile::items> x;
    items_of<Out, Tile::items> out;
    read(tile, x);
    array_of<In, items_of<In, Tile::items>> const copy(x);
    unsigned seen = tiles.seen | parts.seen;
    Number sum{};
    if (seen == 0) {
      auto before = digits_of(totals, warp);
      if (tiles.is_long)
        before.add_digits([&](int i) { return tiles.digits[i]; });
      else
        before.add(tiles.sum);
      sum = before.whole();
      add_lanes_before(copy, sum);
    }
    unsigned mine = 0;
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) mine |= special_values::of(x[k]);
    mine = warp::shift_up(warp::inclusive_scan(mine, [](unsigned a, unsigned b) { return a | b; }));
    if (lane() > 0) seen |= mine;
    auto const now = [&] {
      return seen != 0 ? special_values::sum<Out>(seen) : sum.template round<Out>();
    };
    Out settled[Tile::items];
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      if (tile.exclusive) settled[k] = now();
      seen |= special_values::of(copy.value[k]);
      if (seen == 0) add_element(sum, copy.value[k]);
      if (!tile.exclusive) settled[k] = now();
    }
    if (tile.is_last && all && tile.has_last()) all[tile.row] = now();
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) out.set(k, settled[k]);
    tile.template replace<Out>(out);
  }
  // What the lanes before the calling one have, which is finite where it matters.
  template <class Elements>
  static __device__ void add_lanes_before(Elements const& x, Number& sum) {
    Number mine{};
#pragma unroll 1
    for (In const value : x.value)
      if (is_finite(value)) add_element(mine, value);
    mine.carry();
    TALLY_ROLL
    for (int i = 0; i < Number::digits; ++i) {
      std::int64_t const through = warp::inclusive_scan(mine.digit[i], plus{});
      sum.digit[i] += through - mine.digit[i];
    }
    sum.pending = warp_size;
    sum.carry();
  }
  static __device__ void add_element(Number& sum, In x) {
    auto const p = take_apart(x);
    if (p.significand != 0) sum.add(p.negative, p.significand, p.exponent);
  }
};

template <floating In, floating Out, floating State>
struct prefix_for<exact_running_sum<In, Out, State>> {
  static auto make(auto const&, bool skips_nan, bool, std::optional<Out> const& init) {
    return exact_prefix<In, Out, detail::sum_digits<State>>{skips_nan, init.has_value(),
                                                            init.value_or(Out{})};
  }
};

}  // namespace tally::device
