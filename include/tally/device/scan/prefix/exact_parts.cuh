// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a tile, and its tiles, come to in an exact prefix sum: totals, from which
// results begin (exact.cuh). A total is an interval, whose ends are added up rounding down and up,
// and mostly exact, as where both are equal; else it is added up in all digits.
#pragma once

#include <cuda_runtime.h>

#include "tally/device/scan/prefix/exact_by_threads.cuh"
#include "tally/device/scan/prefix/exact_totals.cuh"
#include "tally/device/scan/prefix/prefix.cuh"
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

template <floating In, floating Out, class Number, class Counter>
struct exact_parts : exact_by_threads<In, Out, Number> {
  using element = In;
  using result = Out;
  using threads_of = exact_by_threads<In, Out, Number>;
  using threads_of::first, threads_of::is_double, threads_of::skips_nan;
  using typename threads_of::part;  // of a lane's elements
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
  detail::exact_terms<Number>* after = nullptr;

  template <class State>
  void leave_at(maybe<State>* to) {
    after = &to->value;
  }
  static __device__ void clear(total& t) { t.is_long = false; }
  __device__ carried begin() const {
    carried c{};
    c.sum = {first.head, first.rest, first.rest};
    c.seen = first.seen;
    c.is_long = first.is_long;
    if (c.is_long) c.digits.add_digits([&](int i) { return first.digits[i]; });
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

  // Where a warp scans rows by itself: tells its parts of a tile what is before them all, and goes
  // on behind one of them.
  __device__ void put_start(carried c, start& all, before& parts) const {
    if (c.is_long) {
      c.digits.each_digit([&](int i, std::int64_t x) { all.digits[i] = x; });
      c.sum = c.digits.bounds();
    }
    if (lane() == 0) all.sum = c.sum, all.seen = c.seen, all.is_long = c.is_long, parts = {};
  }
  __device__ void go_on(carried& c, total const& part, start& all) const {
    auto const sum = (c.sum + part.sum).normalised();
    c.seen |= part.seen;
    if (c.seen == 0 && (c.is_long || part.is_long || !sum.is_exact())) {
      typename totals_type::collected between{part.sum, part.seen, part.is_long, {}};
      if (part.is_long) between.digits.add_digits([&](int i) { return part.digits[i]; });
      c = carry_digits(c, between, all.digits);
    } else {
      c.sum = sum;
    }
  }

  __device__ void start_in_wave(mailbox const& at, std::uint32_t tile, start& all) const {
    auto c = begin();
    carry(c, at, 0, tile, all);
  }

 protected:
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

  // Puts the sum of everything up to a part of a tile's where the host looks for it.
  __device__ __noinline__ void store_after(total const* totals, unsigned warp, start const& tiles,
                                           unsigned seen) const {
    auto sum = digits_of(totals, warp + 1);
    if (tiles.is_long)
      sum.add_digits([&](int i) { return tiles.digits[i]; });
    else
      sum.add(tiles.sum);
    auto const all = sum.whole();
    if (lane() != 0) return;
    after->finite = all;
    after->nan = (seen & special_values::nan) != 0;
    after->positive_infinity = (seen & special_values::positive_infinity) != 0;
    after->negative_infinity = (seen & special_values::negative_infinity) != 0;
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
};

}  // namespace tally::device
