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

// The ways to a part's results and to its total, from the shortest on. A test counts those taken.
enum class exact_way {
  one_end_rounded,
  ends_rounded_twice,
  ends_rounded,
  long_ends_rounded,
  same_everywhere,
  results_of_digits,
  total_of_two_doubles,
  total_of_digits,
};
struct uncounted {
  static __device__ void took(exact_way) {}
};

template <floating In, floating Out, class Number, class Counter = uncounted>
struct exact_prefix {
  using element = In;
  using result = Out;
  static constexpr bool is_double = std::is_same_v<In, double>;
  static constexpr int threads = is_double ? 320 : 384, vectors = 7, stages = 5, ahead = 3;
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

  static __device__ void clear(total& t) { t.is_long = false; }
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
    for (int k = 0; k < Tile::items; ++k) sum.add(x[k]);
    if constexpr (!is_double) check.look_at_all(x);  // else the sum is NaN
    part const through = warp::inclusive_scan(sum, joiner{});
    bool const is_exact = store_exact(lengthened(through).normalised(), all);
    bool const is_finite = __all_sync(~0u, check.all_finite());
    if (!is_finite || !__all_sync(~0u, is_exact)) total_of_any(tile, is_finite, all);
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
    auto const between = totals_type(at).collect(from, to, all.digits);
    auto const sum = (c.sum + between.sum).normalised();
    c.seen |= between.seen;
    if (c.seen == 0 && (c.is_long || between.is_long || !sum.is_exact()))
      c = carry_digits(c, between, all.digits);
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
    using enum exact_way;
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
    if (!sum.is_exact()) return false;
    all.sum = sum, all.seen = 0, all.is_long = false;
    return true;
  }
  // Where loops are to be short.
  template <class Tile>
  __device__ In item(Tile const& tile, int k) const {
    In const x = tile.element(k);
    return skips_nan && is_nan(x) ? In{} : x;
  }
  template <class Tile, class Each>
  __device__ void each_item(Tile const& tile, Each each) const {
    tile.each_element([&](In x) { each(skips_nan && is_nan(x) ? In{} : x); });
  }
  // The total of any elements. (Functions that are not inline take values: what is referred to
  // would be put into memory, also where they are not called.)
  template <class Tile>
  __device__ __noinline__ void total_of_any(Tile tile, bool is_finite, total& all) const {
    if (is_double || !is_finite) {
      unsigned seen = 0;
      each_item(tile, [&](In x) { seen |= special_values::of(x); });
      seen = __reduce_or_sync(~0u, seen);
      if (seen != 0) {
        if (lane() == warp_size - 1) all.sum = {}, all.seen = seen, all.is_long = false;
        return;
      }
    }
    // For doubles this has been tried. For others it is not where it was not enough some tiles ago:
    // a hint, and either way is right.
    bool const was_long = is_double || all.is_long;
    __syncwarp();
    if (!was_long) {
      items_of<In, Tile::items> x;
      read(tile, x);
      long_interval sum{};
#pragma unroll
      for (int k = 0; k < Tile::items; ++k) sum.add(x[k]);
      sum = warp::inclusive_scan(sum, joiner{}).normalised();
      if (__all_sync(~0u, store_exact(sum, all)))
        return Counter::took(exact_way::total_of_two_doubles);
    }
    Counter::took(exact_way::total_of_digits);
    sum_digits_of<Number, In, Tile::items>([&](auto add) { each_item(tile, add); }, all.digits);
    digits whole{};
    whole.add_digits([&](int i) { return all.digits[i]; });
    whole.carry();
    auto const bounds = whole.bounds();
    if (!store_exact(bounds, all)) all.sum = bounds, all.seen = 0, all.is_long = true;
  }
  // The sum of the first warps' totals.
  static __device__ digits digits_of(total const* totals, unsigned warps) {
    bool const is_short = unsigned(lane()) < warps && !totals[lane()].is_long;
    auto const short_ones =
        warp::broadcast(
            warp::inclusive_scan(is_short ? totals[lane()].sum : long_interval{}, joiner{}),
            warp_size - 1)
            .normalised();
    bool const they_fit = short_ones.is_exact();
    digits sum{};
    if (they_fit) sum.add(short_ones);
    for (unsigned w = 0; w < warps; ++w)
      if (totals[w].is_long)
        sum.add_digits([&](int i) { return totals[w].digits[i]; });
      else if (!they_fit)
        sum.add(totals[w].sum);
    sum.carry();
    return sum;
  }

  // Where two doubles do not hold the sum.
  template <class Collected>
  static __device__ __noinline__ carried carry_digits(carried c, Collected between,
                                                      std::int64_t (&all)[Number::digits]) {
    if (!c.is_long) c.digits = {}, c.digits.add(c.sum);
    if (between.is_long)
      c.digits.add_digits([&](int i) { return between.digits.mine[i / warp_size]; });
    else
      c.digits.add(between.sum);
    c.digits.carry();
    c.sum = c.digits.bounds(), c.is_long = !c.sum.is_exact();
    c.digits.each_digit([&](int i, std::int64_t x) { all[i] = x; });
    return c;
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
