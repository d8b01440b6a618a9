// SPDX-License-Identifier: Apache-2.0
//
// Exact prefix sums by blocks: each is rounded once. Totals are exact: a warp's in doubles that no
// addition rounds, a tile's as an integer, so that no order leaves a trace. Results come from a
// running sum in doubles on a grid: mostly that is exact, else it says between which values the
// prefix lies, and mostly all between have one rounding (A. Ziv, "Fast evaluation of elementary
// mathematical functions with correctly rounded last bit", ACM TOMS 17, 1991). What is left is
// settled by integers of 192 bits, or by all digits.
#pragma once

#include <algorithm>

#include "tally/definition/sum.hpp"
#include "tally/device/prefix/prefix.cuh"
#include "tally/device/sum/carried_sum.cuh"
#include "tally/device/sum/exact.cuh"
#include "tally/device/sum/limb_totals.cuh"
#include "tally/device/sum/rounded_sum.cuh"

namespace tally::device {

template <floating In, floating Out, class Number>
struct exact_prefix {
  using element = In;
  using result = Out;
  static constexpr bool is_double = std::is_same_v<In, double>;
  static constexpr int threads = 416, vectors = 5, stages = is_double ? 3 : 4;
  static constexpr int wave_threads = 512, wave_vectors = 5, wide_wave_vectors = 5;
  static constexpr int words = Number::digits, lsb = Number::lsb;
  static_assert(words >= window_integer::words);

  using totals_type = limb_totals<In, Number>;
  static constexpr int log2_elements = totals_type::log2_elements;
  using total = typename totals_type::total;
  // Numbers through a window of 192 bits, from the digit `base` on, and what else was seen.
  struct seen_sum {
    window_integer sum;
    unsigned seen;
  };
  struct before : seen_sum {
    int base;
  };
  struct start : seen_sum {
    int base, turn;  // all digits are kept[turn]
  };
  // Of the elements before the lane's: the first limbs, exact if there are no more. What is in
  // others is far below the grid of the results.
  static constexpr int kept_limbs = 3;
  struct part {
    double limb[kept_limbs];
  };
  struct shared {
    carried_sum<Number> carried;                     // of all tiles before
    block_superaccumulator<Number> of_tile[stages];  // where elements lie far apart
    int kept[stages][carried_sum<Number>::halves];
  };
  bool skips_nan, has_init;
  Out init;

  __device__ void begin(shared& s) const {
    s.carried.clear();
    if (has_init && lane() == 0) s.carried.add(init);
    __syncwarp();
  }

  template <class Tile>
  __device__ part gather(Tile const& tile, total& all) const {
    items_of<In, Tile::items> x;
    tile.read(x);
    part here{};
    unsigned seen = 0;
    if (skips_nan) x.replace_nan_by_zero();
    auto const range = totals_type::range_of(x, seen);
    double limb[totals_type::most_limbs] = {};
    int const limbs = range.limbs();
    if (limbs == 1)
#pragma unroll
      for (int k = 0; k < Tile::items; ++k) limb[0] += as_double(x[k]);
    else
      totals_type::cut(x, range.top, limbs, limb);
    bool const wide = limbs > totals_type::most_limbs;
    if constexpr (is_double)
      if (wide) totals_type::add_digits(x, all.all);
    // Exact additions, in any order.
#pragma unroll
    for (int l = 0; l < totals_type::most_limbs; ++l) {
      if (l >= limbs) break;
      double const through = warp::inclusive_scan(limb[l], plus{});
      if (lane() == warp_size - 1) all.limb[l] = through;
      if (l < kept_limbs) here.limb[l] = through - limb[l];
    }
    if (lane() == warp_size - 1) {
      all.limbs = wide ? 0 : limbs;
      all.top = range.top, all.bottom = range.bottom, all.seen = seen;
    }
    return here;
  }

  __device__ void publish(shared& s, mailbox const& at, std::uint32_t tile, bool is_last,
                          total const* totals, unsigned warps, before* parts,
                          unsigned stage) const {
    bool const there = unsigned(lane()) < warps;
    total const& mine = totals[there ? lane() : 0];
    int const top = int(__reduce_max_sync(~0u, unsigned((there ? mine.top : lsb) - lsb)));
    int const bottom = int(__reduce_min_sync(~0u, there ? unsigned(mine.bottom - lsb) : ~0u >> 1));
    int base = base_for(top + log2_elements + 5);
    if (base < usual_base && 32 * usual_base <= bottom) base = usual_base;
    seen_sum through{};
    if (there) through = seen_from(mine, base);
    through = warp::inclusive_scan(through, joiner{});
    auto const all = warp::broadcast(through, warp_size - 1);
    if (!is_last && all.sum.cut)
      publish_digits(s.of_tile[stage], at, tile, totals, warps, all.seen);
    else if (!is_last)
      carried_sum<Number>::publish(at, tile, all.sum, base, all.seen);
    through = warp::shift_up(through);
    if (lane() == 0) through = {};
    if (there) parts[lane()] = {through, base};
  }

  __device__ auto collect(mailbox const& at, std::uint32_t from, std::uint32_t to) const {
    return carried_sum<Number>::collect(at, from, to);
  }
  template <class Collected>
  __device__ void carry(shared& s, Collected const& c, mailbox const& at, std::uint32_t from,
                        std::uint32_t to, start& all, unsigned stage) const {
    s.carried.add(c, at, from, to);
    int const base = base_for(s.carried.top());
    s.carried.copy_to(s.kept[stage]);
    auto const sum = s.carried.from_digit(base);
    if (lane() == 0) all = {{sum, s.carried.seen()}, base, int(stage)};
  }

  __device__ void start_in_wave(shared& s, mailbox const& at, std::uint32_t tile,
                                start& all) const {
    begin(s);
    carry(s, collect(at, 0, tile), at, 0, tile, all, 0);
  }

  template <class Tile, class Results>
  __device__ void results(Tile const& tile, shared const& s, total const* totals, unsigned warp,
                          start const& tiles, before const& parts, part const& here, Results& out,
                          Out* all) const {
    using sum_type = rounded_sum<Out>;
    total const& mine = totals[warp];
    started const from = start_of(tiles, parts, mine.top + log2_elements);
    bool const all_kept = 0 < mine.limbs && mine.limbs <= kept_limbs;
    std::uint64_t failed = ~std::uint64_t(0);
    bool failed_total = true;
    if (from.unit != no_unit) {
      items_of<In, Tile::items> x;
      tile.read(x);
      if (skips_nan) x.replace_nan_by_zero();
      if (mine.seen != 0) totals_type::put_zeros_for_specials(x);
      In const last = x[Tile::items - 1];
      if (tile.exclusive) {  // results are one element behind
#pragma unroll
        for (int k = Tile::items - 1; k > 0; --k) x.set(k, x[k - 1]);
        x.set(0, In{});
      }
      sum_type sum(from);
#pragma unroll
      for (int l = 0; l < kept_limbs; ++l) sum.add(here.limb[l]);
      if (!all_kept) sum.blur();  // what is missing, or the roundings of limbs
      failed = 0;
      auto const put = [&](int k, Out least, Out most) {
        out.set(k, least);
        if (to_bits(least) != to_bits(most)) failed |= std::uint64_t(1) << k;
      };
      if (__all_sync(~0u, sum.is_exact() && mine.bottom >= from.unit)) {
#pragma unroll
        for (int k = 0; k < Tile::items; ++k) {
          sum.add_multiple(as_double(x[k]));
          put(k, sum.least(), sum.most_if_exact());
        }
      } else {
#pragma unroll
        for (int k = 0; k < Tile::items; ++k) {
          sum.add(as_double(x[k]));
          put(k, sum.least(), sum.most());
        }
      }
      if (tile.is_last && all && (from.seen | mine.seen) == 0) {
        if (tile.exclusive) sum.add(as_double(last));
        Out const least = sum.least();
        failed_total = to_bits(least) != to_bits(sum.most());
        if (tile.has_last() && !failed_total) all[tile.row] = least;
      }
    }
    if ((from.seen | mine.seen) != 0) put_out_specials(tile, from.seen, failed, out);
    bool const wants_total = tile.is_last && all && tile.has_last() && failed_total;
    if (!__any_sync(~0u, failed != 0 || wants_total)) return;
    Out settled[Tile::items];
    settle(tile, s, totals, warp, tiles, parts, here, failed, settled, wants_total ? all : nullptr);
#pragma unroll
    for (int k = 0; k < Tile::items; ++k)
      if (failed >> k & 1) out.set(k, settled[k]);
  }

 private:
  static constexpr int no_unit = 1 << 20;
  static __device__ int lane() { return int(threadIdx.x % warp_size); }

  // Results from the first value on that is not finite; nothing is left to settle of them.
  template <class Tile, class Results>
  __device__ __noinline__ void put_out_specials(Tile const& tile, unsigned seen,
                                                std::uint64_t& failed, Results& out) const {
    items_of<In, Tile::items> x;
    tile.read(x);
    if (skips_nan) x.replace_nan_by_zero();
    array_of<In, items_of<In, Tile::items>> const copy(x);
    unsigned found = totals_type::put_zeros_for_specials(x);
    found = warp::inclusive_scan(found, [](unsigned a, unsigned b) { return a | b; });
    found = warp::shift_up(found);
    if (lane() > 0) seen |= found;
    Out special[Tile::items];
    std::uint64_t known = 0;
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      unsigned const after = seen | special_values::of(copy.value[k]);
      unsigned const now = tile.exclusive ? seen : after;
      if (now != 0) special[k] = special_values::sum<Out>(now), known |= std::uint64_t(1) << k;
      seen = after;
    }
#pragma unroll
    for (int k = 0; k < Tile::items; ++k)
      if (known >> k & 1) out.set(k, special[k]);
    failed &= ~known;
  }

  struct joiner {
    __device__ seen_sum operator()(seen_sum l, seen_sum const& r) const {
      l.sum += r.sum;
      l.seen |= r.seen;
      return l;
    }
  };
  // Tiles whose windows begin at the same digit are quickly added up: it is this one where elements
  // allow it, which are then multiples of some 2^-100.
  static constexpr int usual_base = std::max(-lsb - 96, 0) / 32;
  // The number of the digit where a window begins that holds some sums below 2^(top + lsb).
  static __device__ int base_for(int top) {
    constexpr int room = 4;
    int const above = top + room - window_integer::bits;
    return above > 0 ? (above + 31) / 32 : 0;
  }
  static __device__ seen_sum seen_from(total const& t, int base) {
    seen_sum out{{}, t.seen};
    for (int l = 0; l < t.limbs; ++l) out.sum.add(t.limb[l], lsb + 32 * base);
    if constexpr (is_double)
      if (t.limbs == 0)
        for (int i = 0; i < t.all.halves; ++i)
          if (int const x = t.all.half[i]; x != 0)
            out.sum.add(x < 0, std::uint64_t(abs(x)), 16 * i - 32 * base);
    return out;
  }
  // What is before a warp's elements, which with it are below 2^top: on the grid of the results,
  // and through the window.
  struct started : started_sum {
    int base, turn;
    unsigned seen;
    window_integer window;
  };
  static __device__ started start_of(start const& tiles, before const& parts, int top) {
    started s{};
    s.base = max(tiles.base, parts.base), s.turn = tiles.turn, s.seen = tiles.seen | parts.seen;
    window_integer sum = tiles.sum, rest = parts.sum;
    sum.drop(s.base - tiles.base);
    rest.drop(s.base - parts.base);
    s.window = sum += rest;
    int const unit = lsb + 32 * s.base, above = max(unit + sum.width(), top) + 1;
    s.unit = no_unit;
    if (above > grid_of_multiples::highest) return s;
    s.high_unit = max(above - rounded_sum<Out>::bits, unit);
    s.high = scaled(double(sum.shifted(s.high_unit - unit, s.rest)), s.high_unit);
    s.unit = max(s.high_unit - rounded_sum<Out>::low_bits, unit);
    auto const low = sum.shifted(s.unit - unit, s.rest);
    std::int64_t const mask = (std::int64_t(1) << (s.high_unit - s.unit)) - 1;
    s.low = scaled(double(low & mask), s.unit);
    s.rest = s.rest || sum.cut;
    return s;
  }

  static __device__ void publish_digits(block_superaccumulator<Number>& sum, mailbox const& to,
                                        std::uint32_t tile, total const* totals, unsigned warps,
                                        unsigned seen) {
    carried_sum<Number>::clear(sum);
    __syncwarp();
    if (unsigned(lane()) < warps) {
      total const& mine = totals[lane()];
      for (int l = 0; l < mine.limbs; ++l) sum.add(mine.limb[l]);
      if constexpr (is_double)
        if (mine.limbs == 0)
          for (int i = 0; i < mine.all.halves; ++i)
            if (mine.all.half[i] != 0) sum.add_integer_checked(i, mine.all.half[i]);
    }
    __syncwarp();
    carried_sum<Number>::publish(to, tile, sum, seen);
  }

  // Computes the lane's results that `failed` tells, and the total if it is wanted.
  template <class Tile>
  __device__ __noinline__ void settle(Tile const& tile, shared const& s, total const* totals,
                                      unsigned warp, start const& tiles, before const& parts,
                                      part const& here, std::uint64_t failed,
                                      Out (&settled)[Tile::items], Out* all) const {
    started const from = start_of(tiles, parts, totals[warp].top + log2_elements);
    auto const add = [&](seen_sum& sum, unsigned position) {
      if (position >= tile.count) return;
      In const x = tile.data[tile.place(position)];
      if (is_finite(x))
        sum.sum.add(x, lsb + 32 * from.base);
      else if (!(skips_nan && is_nan(x)))
        sum.seen |= special_values::of(x);
    };
    unsigned const first = tile.position(0);
    seen_sum sum{};
    total const& mine = totals[warp];
    if (0 < mine.limbs && mine.limbs <= kept_limbs && mine.seen == 0) {
      for (int l = 0; l < mine.limbs; ++l) sum.sum.add(here.limb[l], lsb + 32 * from.base);
    } else {
#pragma unroll 1
      for (int k = 0; k < Tile::items; ++k) add(sum, first + k);
      sum = warp::shift_up(warp::inclusive_scan(sum, joiner{}));
      if (lane() == 0) sum = {};
    }
    sum = joiner{}(sum, {from.window, from.seen});
    auto const rounded = [&](unsigned end) {
      if (sum.seen != 0) return special_values::sum<Out>(sum.seen);
      return round_window(tile, s, totals, warp, from, sum.sum, min(end, tile.count));
    };
#pragma unroll 1
    for (int k = 0; k < Tile::items; ++k) {
      bool const wanted = failed >> k & 1 && tile.has(k);
      if (wanted && tile.exclusive) settled[k] = rounded(first + k);
      add(sum, first + k);
      if (wanted && !tile.exclusive) settled[k] = rounded(first + k + 1);
    }
    if (all) all[tile.row] = rounded(first + Tile::items);
  }
  // A prefix, which is `sum`, or more by some units where it is cut.
  template <class Tile>
  __device__ Out round_window(Tile const& tile, shared const& s, total const* totals, unsigned warp,
                              started const& from, window_integer const& sum, unsigned end) const {
    constexpr unsigned unknown = 2 << log2_elements;
    int const unit = lsb + 32 * from.base;
    Out const least = sum.template round<Out>(unit);
    if (!sum.cut) return least;
    window_integer more = sum;
    more.add(false, unknown, 0);
    if (to_bits(more.template round<Out>(unit)) == to_bits(least)) return least;
    return round_all_digits(tile, s.kept[from.turn], totals, warp, end);
  }
  template <class Tile>
  __device__ __noinline__ Out round_all_digits(Tile const& tile,
                                               int const (&kept)[carried_sum<Number>::halves],
                                               total const* totals, unsigned warp,
                                               unsigned end) const {
    Number sum{};
    auto const add_half = [&](int x, int i) {
      if (x != 0) sum.add(x < 0, std::uint64_t(abs(x)), 16 * i + lsb);
    };
    auto const add = [&](auto x) {
      auto const p = take_apart(x);
      if (p.significand != 0) sum.add(p.negative, p.significand, p.exponent);
    };
    for (int i = 0; i < carried_sum<Number>::halves; ++i) add_half(kept[i], i);
    for (unsigned w = 0; w < warp; ++w) {
      total const& t = totals[w];
      for (int l = 0; l < t.limbs; ++l) add(t.limb[l]);
      if constexpr (is_double)
        if (t.limbs == 0)
          for (int i = 0; i < t.all.halves; ++i) add_half(t.all.half[i], i);
    }
#pragma unroll 1
    for (unsigned i = 0; i < end; ++i)
      if (In const x = tile.data[tile.place(i)]; is_finite(x)) add(x);
    return sum.template round<Out>();
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
