// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums, a tile at a time.
#pragma once

#include "tally/aggregate/exact_accumulator.hpp"
#include "tally/aggregate/fixed_prefix.hpp"
#include "tally/aggregate/prefix_window.hpp"
#include "tally/aggregate/tile_sums.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// What is before a tile is an integer on a grid that it shares with the tile (fixed_prefix.hpp), or
// is seen through a window (prefix_window.hpp). There are four ways on from there, each of which
// writes the tile's running sums and moves past it, or changes no value:
//   near    the sums of the tile's own elements are exact doubles, and so is their sum with what is
//           before, or it is far enough from where its rounding changes
//   whole   strict, where the exponents of doubles say that they end within the window
//   strict  elements are cut as the window is; as long as they have nothing below 2^w2, the running
//           sums of their high and of their low parts are exact doubles, and an output is their
//           sum, rounded once. A rest that is kept is represented by half a unit of 2^w2: it
//           decides a tie the right way, and cannot do more as long as no rounding boundary near
//           the output is finer than 2^w2
//   loose   what elements have below 2^w2 is added up apart; an output must be the same wherever
//           in its bounds that is
template <floating In, floating Out, class State>
class exact_prefix {
 public:
  explicit exact_prefix(State const& s) : window_(s) {}
  void store(State& s) {
    window_.store(s);
    fixed_.leave(s.finite);
    if (by_integers_ != 0) count_path(path::scan_integers, std::exchange(by_integers_, 0));
    if (loose_ != 0) count_path(path::scan_loose, std::exchange(loose_, 0));
  }

  template <class Tile>
  TALLY_CPU_FN bool emit(Tile const& t, Out* out) {
    if (!window_.kept.is_finite_sum()) return emit_settled(t, out);
    if constexpr (fixed::template available<Tile::vector_bytes>)
      if (emit_fixed(t, out)) return ++by_integers_, true;
    bool const open = window_.unknown == 0;
    int needed;
    if constexpr (by_sums) {
      tile_sums<In, Tile::vector_bytes / 8> sums;
      auto const e = open ? sums.take(t) : reach_of(t);
      needed = room_for(e.top, e.zero);
      if (!e.finite || !fit(needed, false)) return false;
      if (open && e.top + tile_bits - e.lowest <= 53 && emit_near(t.count, e, sums, out))
        return true;
    } else {
      if constexpr (to_double)
        if (emit_whole(t, out)) return true;
      auto const e = extent_of(t);
      needed = room_for(e.top, e.zero);
      if (!fit(needed, false)) return false;
    }
    return emit_by_parts(t, needed, out);
  }

 private:
  static constexpr bool by_sums = !is_one_of<double, In, Out>;
  static constexpr bool to_double = std::is_same_v<Out, double>;
  using window = prefix_window<State, format<In>::lowest>;
  using narrowed = std::conditional_t<to_double, float, Out>;
  using fixed = fixed_prefix<In, Out>;
  window window_;
  fixed fixed_;  // on: has all of the sum but infinities and NaN, and the window has none
  std::uint64_t by_integers_ = 0, loose_ = 0;  // tiles
  int wait_ = 0, patience_ = 16;               // tiles, before it is tried again; then, if it fails

  static TALLY_CPU_FN int room_for(int top, bool zero) {
    return zero ? window::lowest_top : top + tile_bits + 1;
  }
  // Sees that the window has room; `tight`: and no more than that.
  TALLY_CPU_FN bool fit(int needed, bool tight) {
    constexpr int slack = 4;  // room to grow before the next fit
    return (!tight && window_.holds(needed)) || window_.fit(needed, tight ? 0 : slack);
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_fixed(Tile const& t, Out* out) {
    if (!fixed_.on() && wait_ > 0) return --wait_, false;
    reach e;
    if (fixed_.on() && fixed_.emit(t, out, e)) return true;
    if (!fixed_.on()) e = reach_of(t);
    return enter_fixed(e) && fixed_.emit(t, out, e);
  }
  TALLY_CPU_COLD bool enter_fixed(reach const& e) {
    // What is before is taken out of the window only if it may be worth it.
    if (fixed_.on() ||
        (fixed::could_hold(e) && window::exponent_above(window_.high) <= e.lowest + 53)) {
      count_path(path::scan_fit);
      fixed_.leave(window_.kept.finite);
      window_.empty();
      if (fixed_.enter(window_.kept.finite, e)) {
        window_.kept.finite = {};
        patience_ = 16;
        return true;
      }
    }
    wait_ = patience_;
    patience_ = std::min(2 * patience_, 4096);
    return false;
  }
  template <class Tile>
  static TALLY_CPU_FN reach reach_of(Tile const& t) {
    constexpr int lanes = Tile::vector_bytes / 4;
    vec<std::uint32_t, lanes> largest{}, smallest = ~largest;
    for_each_group<lanes>(t, In{}, [&](In const* p) __attribute__((always_inline)) {
      auto const magnitude = float_bits<Tile::skips, lanes>(p) & 0x7fffffff;
      largest = max_of(largest, magnitude);
      smallest = min_of(smallest, magnitude - 1);
    });
    return reach_of_lanes<In>(largest, smallest);
  }

  // What is NaN remains so, and what is infinite until something else that is not finite comes.
  template <class Tile>
  TALLY_CPU_FN bool emit_settled(Tile const& t, Out* out) const {
    if (!window_.kept.is_nan_sum() && !exact_accumulator<In>::all_finite(t)) return false;
    std::fill_n(out, t.count, window_.kept.template result<Out>());
    return true;
  }

  // A tight window may reach the bits, or the small outputs, that another does not.
  template <class Tile>
  TALLY_CPU_FN bool emit_by_parts(Tile const& t, int needed, Out* out) {
    if (window_.unknown == 0) {
      if (emit_strict(t, out)) return true;
      if (fit(needed, true) && emit_strict(t, out)) return true;
    }
    if constexpr (!by_sums)  // or it has been seen to
      if (!exact_accumulator<In>::all_finite(t)) return false;
    return emit_loose(t, out) || (fit(needed, true) && emit_loose(t, out));
  }

  // The grid on which everything lies, if base and all prefixes of the tile fit a double; what is
  // finer in the base is represented by the bits below.
  template <class Sums>
  TALLY_CPU_FN bool emit_near(int count, reach const& e, Sums& sums, Out* out) {
    auto& w = window_;
    double base = w.high, rest = w.low + w.sticky, least = 0;
    int tolerance = 0;
    int const own = std::max(window::exponent_above(w.high), window::exponent_above(w.low));
    int grid = std::max(own, e.top + tile_bits) - 50;
    if (w.sticky != 0) grid = std::max(grid, w.w2());
    if (e.lowest >= grid) {
      base = window::multiple_of(w.high, grid);
      rest += w.high - base;
      if (rest != 0) {
        double const whole = window::multiple_of(rest, grid);
        base += whole;
        if (rest != whole) base += std::copysign(power_of_two(grid - 2), rest - whole);
        least = rest != whole ? power_of_two(grid + format<Out>::precision + 2) : 0;
      }
      rest = 0;
    } else {
      // Three additions round, of numbers up to 2^7 times the result.
      tolerance = 1 << 9;
      int const largest = std::max({e.top + tile_bits, window::exponent_above(w.low), w.w2() + 60});
      least = power_of_two(std::max(largest - 7, format<Out>::lowest + format<Out>::precision));
    }
    double const sum = sums.accumulate();
    return sums.template emit<Out>(count, base, rest, tolerance, least, out) && w.add(sum);
  }

  // Calls f(x, high, low, finer, k) for vectors of elements from k on: the running sums of what
  // they have in the window, and what each has below. Returns the last sums.
  template <class Tile, class F>
  TALLY_CPU_FN std::pair<double, double> for_each_part(Tile const& t, F&& f) const {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    double const m1 = window::anchor(window_.w1()), m2 = window::anchor(window_.w2());
    double const down = power_of_two(-window_.shift), up = power_of_two(window_.shift);
    doubles high{}, low{};
    high += window_.high, low += window_.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      constexpr bool may_shift = std::is_same_v<In, double>;
      doubles const scaled = may_shift ? x * down : x;
      doubles const h = (m1 + scaled) - m1, l = (m2 + (scaled - h)) - m2;
      doubles finer = (scaled - h) - l;
      if constexpr (may_shift) finer = finer * up + (x - scaled * up);  // and what scaling has lost
      high = highs(h), low = lows(l);
      f(high, low, finer, k);
      k += lanes;
    });
    return {high[lanes - 1], low[lanes - 1]};
  }

  // As emit_strict, in a window that is there already, of elements that end within it by their
  // exponents alone.
  template <class Tile>
  TALLY_CPU_FN bool emit_whole(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    auto& w = window_;
    if (w.shift != 0 || w.sticky != 0 || w.unknown != 0 || !w.holds(window::lowest_top))
      return false;
    double const m1 = window::anchor(w.w1());
    doubles high{}, low{};
    high += w.high, low += w.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    bits largest{}, smallest{};
    smallest += std::numeric_limits<std::int64_t>::max();
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      auto const magnitude = cast<bits>(x) & std::numeric_limits<std::int64_t>::max();
      largest = max_of(largest, magnitude);
      // A zero becomes large.
      smallest = min_of(smallest, cast<bits>(cast<vec<std::uint64_t, lanes>>(magnitude - 1) >> 1));
      doubles const h = (m1 + x) - m1;
      high = highs(h);
      low = lows(x - h);
      store_some(doubles(high + low), out + k, t.count - k);
      k += lanes;
    });
    auto const most = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
    auto const least = fold_lanes(smallest, [](auto a, auto b) { return a < b ? a : b; });
    int const top = std::max(int(most >> 52), 1) - 1022;
    int const lowest = std::clamp(int(least >> 51), 1, 2047) - 1075;
    if (most != 0 && (room_for(top, false) > w.top || lowest < w.w2())) return false;
    w.move_to(high[lanes - 1], low[lanes - 1]);
    return true;
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_strict(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    double const up = power_of_two(window_.shift), sticky = window_.sticky;
    double const least = sticky == 0 ? 0 : power_of_two(window_.w2() + format<Out>::precision + 2);
    doubles smallest = least + doubles{};
    bits left{};
    near_midpoint<narrowed, lanes> rounded(0, 0);
    auto const last = for_each_part(
        t, [&](doubles high, doubles low, doubles finer, int k) __attribute__((always_inline)) {
          left |= cast<bits>(finer) << 1;
          low += sticky;
          doubles const sum = high + low;
          auto const magnitude = cast<bits>(sum) & std::numeric_limits<std::int64_t>::max();
          smallest = min_of(smallest, cast<doubles>(magnitude));
          if constexpr (to_double)
            store_some(doubles(sum * up), out + k, t.count - k);
          else
            store_some(rounded.finish(rounded(to_odd(high, low, sum))), out + k, t.count - k);
        });
    if (any(left) || any(smallest < least) || (!to_double && !rounded.right())) return false;
    window_.move_to(last.first, last.second);
    return true;
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_loose(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    // A tile adds at most 2^8 units of 2^w2 to what is unknown: 2^13 in all, as the window holds.
    double const unit = power_of_two(window_.w2()), up = power_of_two(window_.shift);
    double const bound = 2 * (std::max(window_.unknown, unit) + 0x1p8 * unit);
    bits left{}, differ{};
    doubles sizes{};
    near_midpoint<narrowed, lanes> rounded(1 << 9, power_of_two(window_.w2() + 13 + 44));
    alignas(64) double below[Tile::size];
    auto const last = for_each_part(
        t, [&](doubles high, doubles low, doubles finer, int k) __attribute__((always_inline)) {
          __builtin_memcpy(below + k, &finer, sizeof finer);
          bits const magnitude = cast<bits>(finer) & std::numeric_limits<std::int64_t>::max();
          left |= magnitude;
          sizes += cast<doubles>(magnitude);
          if constexpr (to_double) {
            doubles const most = high + (low + bound), least = high + (low - bound);
            differ |= cast<bits>(most) ^ cast<bits>(least);
            store_some(doubles(most * up), out + k, t.count - k);
          } else {
            store_some(rounded.finish(rounded(high + low)), out + k, t.count - k);
          }
        });
    if (to_double ? any(differ) : !rounded.right()) return false;
    window_.move_to(last.first, last.second);
    ++loose_;
    if (any(left))
      window_.add_finer(tile<double, propagate, Tile::vector_bytes>{below, t.count, 0},
                        sum_of_lanes(sizes) * power_of_two(-window_.shift));
    return true;
  }

  // a + b = sum but for its rounding, rounded to odd instead, so that a second rounding sees what
  // the first one dropped.
  template <class V>
  static TALLY_CPU_FN V to_odd(V a, V b, V sum) {
    using bits = vec<std::int64_t, sizeof(V) / 8>;
    V const back = sum - a, error = (a - (sum - back)) + (b - back);
    bits const s = cast<bits>(sum), toward = ((s ^ cast<bits>(error)) >> 63) | 1;
    return cast<V>(s + (toward & bits(error != 0) & ((s & 1) - 1)));
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
