// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums, a tile at a time.
#pragma once

#include "tally/aggregate/exact_accumulator.hpp"
#include "tally/aggregate/extent.hpp"
#include "tally/aggregate/fixed_prefix.hpp"
#include "tally/aggregate/long_sum.hpp"
#include "tally/aggregate/prefix_window.hpp"
#include "tally/aggregate/tile_sums.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// What is before a tile is an integer on a grid that it shares with the tile (fixed_prefix.hpp), or
// is seen through a window (prefix_window.hpp). There are five ways on from there, each of which
// writes the tile's running sums and moves past it, or changes no value:
//   near    the sums of the tile's own elements are exact doubles, and so is their sum with what is
//           before, or it is far enough from where its rounding changes
//   whole   strict, where the exponents of doubles say that they end within the window
//   strict  elements are cut as the window is; as long as they have nothing below 2^w2, the running
//           sums of their high and of their low parts are exact doubles, and an output is their
//           sum, rounded once. A rest that is kept is represented by half a unit of 2^w2: it
//           decides a tie the right way, and cannot do more as long as no rounding boundary near
//           the output is finer than 2^w2
//   rough   as near, of elements whose running sums no double holds: what additions round is
//           bounded, and the window drifts
//   loose   elements are cut once; what is below is added up in doubles, and known up to a bound:
//           an output must be the same wherever in it the sum is. The window drifts
// While it drifts, only the last two go on; where they fail, it is fitted again to the exact sum.
// Where all fail, the exact sum itself goes from element to element (long_sum.hpp).
template <floating In, floating Out, class State>
class exact_prefix {
 public:
  explicit exact_prefix(State const& s) : window_(s) { TALLY_CLAIM(starts(truth_, s.finite)); }
  void store(State& s) {
    window_.store(s);
    fixed_.leave(s.finite);
    count_paths();
  }
  // See prefix_window.hpp; in place of `store`, paths are counted.
  void be_lazy() { window_.lazy = true; }
  void count_paths() {
    if (by_integers_ != 0) count_path(path::scan_integers, std::exchange(by_integers_, 0));
    if (loose_ != 0) count_path(path::scan_loose, std::exchange(loose_, 0));
  }

  // By the ways that need no second look at what they have written.
  template <class Tile, class To>
  TALLY_CPU_FN bool stream(Tile const& t, To out) {
    if (!window_.kept.is_finite_sum()) return false;
    if constexpr (fixed::template available<Tile::vector_bytes>)
      return emit_fixed(t, out);
    else if constexpr (to_double)
      return emit_whole(t, out);
    return false;
  }
  template <class Tile>
  TALLY_CPU_FN bool emit(Tile const& t, in_caches<Out> to) {
    Out* const out = to.to;
    if (!window_.kept.is_finite_sum()) return emit_settled(t, out);
    if constexpr (fixed::template available<Tile::vector_bytes>)
      if (emit_fixed(t, to)) return true;
    if constexpr (!by_sums && to_double)
      if (emit_whole(t, to)) return true;
    if constexpr (Tile::skips) {
      detail::room_for<In, Tile::size> zeroed;
      copy_without_nan(t, zeroed.values);
      return emit_apart<Tile::vector_bytes>({{zeroed.values, t.count, t.first}, t.data}, out);
    } else {
      return emit_apart<Tile::vector_bytes>({{t.data, t.count, t.first}, t.data}, out);
    }
  }

 private:
  // A tile that has no NaN to be skipped, and where its elements were.
  template <int VectorBytes>
  struct tile_to_emit : tile<In, propagate, VectorBytes> {
    In const* from;
  };
  template <class Tile>
  static TALLY_CPU_FN void copy_without_nan(Tile const& t, In* to) {
    constexpr int lanes = Tile::vector_bytes / sizeof(In);
    for_each_group<lanes>(t, In{}, [&](In const* p) __attribute__((always_inline)) {
      auto const b = load<vec<bits_of<In>, lanes>>(p);
      decltype(b + b) const kept =
          b & ((b & bits_of<In>(~format<In>::sign)) <= format<In>::infinity);
      __builtin_memcpy(static_cast<void*>(to), &kept, sizeof kept);
      to += lanes;
    });
  }
  // By the ways that take a call of their own: each is there once, whether NaN is skipped or not.
  template <int VectorBytes>
  bool emit_apart(tile_to_emit<VectorBytes> const& t, Out* out) {
    bool emitted;
    run_with_vectors_of<VectorBytes>(
        [&](auto) __attribute__((always_inline)) { emitted = emit_slowly(t, out); });
    return emitted;
  }
  template <class Tile>
  TALLY_CPU_FN bool emit_slowly(Tile const& t, Out* out) {
    int needed;
    if constexpr (by_sums) {
      tile_sums<In, Tile::vector_bytes / 8> sums;
      auto const e = sums.take(t);
      needed = room_for(e.top, e.zero);
      bool const close = e.top + tile_bits - e.lowest <= 53;
      // Drifting is for what needs it.
      calm_ = close && window_.unknown != 0 ? calm_ + 1 : 0;
      if (!e.finite || !fit(needed, calm_ > 8)) return false;
      bool const open = window_.unknown == 0;
      if (open && close && emit_near(t.count, e, sums, out)) {
        TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("near").units("near.tolerance"));
        TALLY_CLAIM(offset("window.kept", truth_, window_, power_of_two(window_.w2())));
        return true;
      }
      if (emit_rough(t, sums, out)) return true;
    } else {
      if (window_.unknown != 0 && window_.holds(window::lowest_top) && emit_loose(t, out))
        return true;
      auto const e = extent_of(t);
      needed = room_for(e.top, e.zero);
      if (!fit(needed, false)) return false;
    }
    return emit_by_parts(t, needed, out);
  }

  static constexpr bool by_sums = !is_one_of<double, In, Out>;
  static constexpr bool to_double = std::is_same_v<Out, double>;
  using window = prefix_window<State, In>;
  using narrowed = std::conditional_t<to_double, float, Out>;
  using fixed = fixed_prefix<In, Out>;
  window window_;
  TALLY_CLAIMS_NEED(bounds::running truth_;)
  fixed fixed_;  // on: has all of the sum but infinities, NaN and what is finer, the window nothing
  std::uint64_t by_integers_ = 0, loose_ = 0;  // tiles
  // How often a tile is asked for before it is tried again; and how often then, if it fails. (One
  // that cannot be streamed is asked for twice.)
  int wait_ = 0, patience_ = 1;
  int calm_ = 0;  // tiles at hand that need no drifting

  static TALLY_CPU_FN int room_for(int top, bool zero) {
    return zero ? window::lowest_top : top + tile_bits + 1;
  }
  // Sees that the window has room; `tight`: and no more than that.
  TALLY_CPU_FN bool fit(int needed, bool tight) {
    constexpr int slack = 4;  // room to grow before the next fit
    return (!tight && window_.holds(needed)) || window_.fit(needed, tight ? 0 : slack);
  }

  template <class Tile, class To>
  TALLY_CPU_FN bool emit_fixed(Tile const& t, To out) {
    if (!fixed_.on() && wait_ > 0) return --wait_, false;
    reach e;
    for (int tries = 0; tries < 2; ++tries) {  // one loop: each call is a copy of much code
      if (fixed_.on()) {
        if (fixed_.emit(t, out, e)) {
          TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("fixed").high("fixed.room", 0x1p62));
          return patience_ = 1, ++by_integers_, true;
        }
      } else {
        e = reach_of(t);
      }
      if (tries > 0 || !enter_fixed(e)) break;
    }
    give_up_fixed();
    return false;
  }
  TALLY_CPU_COLD bool enter_fixed(reach const& e) {
    // What is before is taken out of the window only if it may be worth it.
    if (!fixed_.on() && !fixed::could_hold(window::exponent_above(window_.high), e)) return false;
    count_path(path::scan_fit);
    fixed_.leave(window_.kept.finite);
    window_.empty();
    return fixed_.enter(window_.kept.finite, e);
  }
  TALLY_CPU_COLD void give_up_fixed() {
    fixed_.leave(window_.kept.finite);
    wait_ = patience_;
    patience_ = std::min(2 * patience_, 4096);
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
    if (!window_.kept.is_nan_sum() && !all_finite(t)) return false;
    std::fill_n(out, t.count, window_.kept.template result<Out>());
    return true;
  }

  // A tight window may reach the bits, or the small outputs, that another does not.
  template <class Tile>
  TALLY_CPU_FN bool emit_by_parts(Tile const& t, int needed, Out* out) {
    for (bool tight : {false, true}) {  // one loop: each call is a copy of much code
      if (tight && !fit(needed, true)) return false;
      bool const open = window_.unknown == 0;
      if (open && emit_strict(t, out)) return true;
      if ((tight || !open) && emit_loose(t, out)) return true;
    }
    if (!all_finite(t)) return false;
    emit_one_by_one(t, out);
    return true;
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
    TALLY_CLAIM(within("near.sums", sum, power_of_two(53 + e.lowest)));
    TALLY_CLAIM(tolerates(tolerance));
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
    return {double(high[lanes - 1]), double(low[lanes - 1])};
  }

  // As emit_strict, in a window that is there already, of elements that end within it by their
  // exponents alone.
  template <class Tile, class To>
  TALLY_CPU_FN bool emit_whole(Tile const& t, To out) {
    auto& w = window_;
    if (w.shift != 0 || w.unknown != 0 || !w.holds(window::lowest_top)) return false;
    return w.sticky != 0 ? emit_whole_beside<true>(t, out) : emit_whole_beside<false>(t, out);
  }
  template <bool Rest, class Tile, class To>
  TALLY_CPU_FN bool emit_whole_beside(Tile const& t, To out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    auto& w = window_;
    double const m1 = window::anchor(w.w1());
    doubles high{}, low{};
    high += w.high, low += w.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    bits largest{}, smallest{};
    smallest += std::numeric_limits<std::int64_t>::max();
    double const sticky = w.sticky, near = least_beside_rest();
    doubles nearest = near + doubles{};
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      auto const magnitude = cast<bits>(x) & std::numeric_limits<std::int64_t>::max();
      largest = max_of(largest, magnitude);
      // A zero becomes large.
      smallest = min_of(smallest, cast<bits>(cast<vec<std::uint64_t, lanes>>(magnitude - 1) >> 1));
      doubles const h = (m1 + x) - m1;
      high = highs(h);
      low = lows(x - h);
      doubles const sum = high + (Rest ? low + sticky : low);
      TALLY_CLAIM(note(k, high, low, sum));
      if constexpr (Rest) nearest = min_of(nearest, size_of(sum));
      out.put(k, sum, t.count - k);
      k += lanes;
    });
    auto const most = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
    auto const least = fold_lanes(smallest, [](auto a, auto b) { return a < b ? a : b; });
    int const top = std::max(int(most >> 52), 1) - 1022;
    int const lowest = std::clamp(int(least >> 51), 1, 2047) - 1075;
    if (most != 0 && (room_for(top, false) > w.top || lowest < w.w2())) return false;
    if (Rest && any(nearest < near)) return false;
    w.move_to(high[lanes - 1], low[lanes - 1]);
    TALLY_CLAIM(moves<format<Out>>(truth_, t, w.shift).rounds("whole"));
    TALLY_CLAIM(summed().low("whole.low", power_of_two(w.w2() + 53)));
    TALLY_CLAIM(summed().high("whole.high", power_of_two(w.w1() + 53)));
    TALLY_CLAIM(offset("window.kept", truth_, w, power_of_two(w.w2())));
    return true;
  }

  // From here on no rounding boundary is finer than what represents a rest.
  double least_beside_rest() const {
    return window_.sticky == 0 ? 0 : power_of_two(window_.w2() + format<Out>::precision + 2);
  }
  template <class V>
  static TALLY_CPU_FN V size_of(V x) {
    return cast<V>(cast<vec<std::uint64_t, sizeof x / 8>>(x) & ~format<double>::sign);
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_strict(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    double const up = power_of_two(window_.shift), sticky = window_.sticky;
    double const least = least_beside_rest();
    doubles smallest = least + doubles{};
    bits left{};
    near_midpoint<narrowed, lanes> rounded(0, 0);
    auto const last = for_each_part(
        t, [&](doubles high, doubles low, doubles finer, int k) __attribute__((always_inline)) {
          left |= cast<bits>(finer) << 1;
          low += sticky;
          doubles const sum = high + low;
          TALLY_CLAIM(note(k, high, low, to_double ? sum : to_odd(high, low, sum)));
          smallest = min_of(smallest, size_of(sum));
          if constexpr (to_double)
            store_some(doubles(sum * up), out + k, t.count - k);
          else
            store_some(rounded.finish(rounded(to_odd(high, low, sum))), out + k, t.count - k);
        });
    if (any(left) || any(smallest < least) || (!to_double && !rounded.right())) return false;
    window_.move_to(last.first, last.second);
    TALLY_CLAIM(moves<format<Out>>(truth_, t, window_.shift).rounds("strict"));
    TALLY_CLAIM(summed().low("strict.low", power_of_two(window_.w2() + 53)));
    TALLY_CLAIM(summed().high("strict.high", power_of_two(window_.w1() + 53)));
    TALLY_CLAIM(offset("window.kept", truth_, window_, power_of_two(window_.w2())));
    return true;
  }

  // By how much the sum of what a tile's elements have below 2^w1 may be off, added up in doubles:
  // sums are below 2^(w1 + 9), where one addition a vector rounds by at most 2^(w2 - 3), and before
  // that there are sums of a vector's elements, which are less.
  template <class Tile>
  double off() const {
    return (Tile::size / Tile::vector_bytes + 1) * power_of_two(window_.w2());
  }

  template <class Tile, class Sums>
  TALLY_CPU_FN bool emit_rough(Tile const& t, Sums& sums, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    auto& w = window_;
    double const m1 = window::anchor(w.w1());
    doubles high{}, low{}, sizes{};
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      doubles const h = (m1 + x) - m1;
      high += h;
      low += x - h;
      sizes += size_of(x);
    });
    // So many additions round on the way to an output, of numbers that are not larger than `most`;
    // the last one rounds by half a unit of the output.
    constexpr int roundings = lanes + Tile::size / (lanes * lanes) + 10;
    double const most = 2 * (sum_of_lanes(sizes) + std::fabs(w.low));
    double const error = most * roundings * 0x1p-53 + w.unknown + off<Tile>();
    constexpr int tolerance = 1 << 14;
    double const least = std::max(2 * error / tolerance * 0x1p53,
                                  power_of_two(format<Out>::lowest + format<Out>::precision));
    if (least > 0x1p126) return false;
    sums.accumulate();
    if (!sums.template emit<Out>(t.count, w.high, w.low, tolerance, least, out)) return false;
    TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("rough").near("rough.error", error));
    TALLY_CLAIM(summed().units("rough.tolerance", tolerance));
    w.drift(t, w.high + sum_of_lanes(high), w.low + sum_of_lanes(low), off<Tile>());
    TALLY_CLAIM(offset("drift.unknown", truth_, w, w.unknown));
    ++loose_;
    return true;
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_loose(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    auto& w = window_;
    double const m1 = window::anchor(w.w1()), unit = power_of_two(w.w2());
    double const down = power_of_two(-w.shift), up = power_of_two(w.shift);
    // What is unknown is less than 2^13 units, as the window holds.
    double const bound = 2 * (std::max(w.unknown, unit) + off<Tile>());
    TALLY_CLAIM(within("loose.unknown", w.unknown + off<Tile>(), unit * 0x1p13));
    doubles high{}, low{};
    high += w.high, low += w.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    bits differ{}, largest{};
    constexpr int normal = format<narrowed>::lowest + format<narrowed>::precision;
    near_midpoint<narrowed, lanes> rounded(1 << 9,
                                           power_of_two(std::max(w.w2() + 13 + 44, normal)));
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      constexpr bool may_shift = std::is_same_v<In, double>;
      largest = max_of(largest, cast<bits>(x) & std::numeric_limits<std::int64_t>::max());
      doubles const scaled = may_shift ? x * down : x, h = (m1 + scaled) - m1;
      high = highs(h);
      low = lows(scaled - h);
      if constexpr (to_double) {
        doubles const most = high + (low + bound), least = high + (low - bound);
        differ |= cast<bits>(most) ^ cast<bits>(least);
        TALLY_CLAIM(note(k, high, low, most));
        store_some(doubles(most * up), out + k, t.count - k);
      } else {
        TALLY_CLAIM(note(k, high, low, high + low));
        store_some(rounded.finish(rounded(high + low)), out + k, t.count - k);
      }
      k += lanes;
    });
    if (to_double ? any(differ) : !rounded.right()) return false;
    auto const most =
        std::bit_cast<double>(fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; }));
    constexpr double end =
        is_one_of<In, float16> ? 0x1p16 : std::numeric_limits<double>::infinity();
    if (!(most < end) || room_for(window::exponent_above(most), most == 0) > w.top + w.shift)
      return false;
    TALLY_CLAIM(moves<format<Out>>(truth_, t, w.shift).rounds("loose").parts("loose.bound", bound));
    TALLY_CLAIM(summed().units("loose.tolerance", to_double ? 0 : 1 << 9));
    w.drift(t, high[lanes - 1], low[lanes - 1], off<Tile>());
    TALLY_CLAIM(offset("drift.unknown", truth_, w, w.unknown));
    ++loose_;
    return true;
  }

  template <class Tile>
  void emit_one_by_one(Tile const& t, Out* out) {
    count_path(path::scan_exact);
    window_.empty();
    auto& sum = window_.kept.finite;
    long_sum<std::remove_cvref_t<decltype(sum)>> walk(sum);
    for (int k = 0; k < t.count; ++k) {
      if (t.live(k)) {
        auto const p = take_apart(t[k]);
        sum.add(p.negative, p.significand, p.exponent);
        walk.add(p.negative, p.significand, p.exponent);
      }
      out[k] = walk.template round<Out>();
      TALLY_CLAIM(note_one(k, double(out[k])));
    }
    TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("one_by_one"));
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
