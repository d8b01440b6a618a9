// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/prefix/integer_prefix.hpp"
#include "tally/cpu/prefix/prefix_window.hpp"
#include "tally/cpu/prefix/ziv_rounding.hpp"
#include "tally/cpu/tile/exponent_range.hpp"
#include "tally/cpu/tile/tile_output.hpp"
#include "tally/exact/long_sum.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The strategies for the running sums of a tile that see what is before it through a window;
// exact_prefix.hpp says which is which.
template <floating In, floating Out, class State>
class windowed_prefix {
 protected:
  static constexpr bool to_double = std::is_same_v<Out, double>;
  using window = prefix_window<State, In>;
  using narrowed = std::conditional_t<to_double, float, Out>;
  window window_;
  std::uint64_t loose_ = 0;  // tiles
  TALLY_CLAIMS_NEED(bounds::running truth_;)

  explicit windowed_prefix(State const& s) : window_(s) { TALLY_CLAIM(starts(truth_, s.finite)); }

  static TALLY_CPU_FN int top_needed(int top, bool zero) {
    return zero ? window::lowest_top : top + tile_bits + 1;
  }
  // Gives the window room for sums below 2^needed; if `tight`, no more room than that.
  TALLY_CPU_FN bool fit(int needed, bool tight) {
    constexpr int slack = 4;  // room to grow before the next fit
    return (!tight && window_.holds(needed)) || window_.fit(needed, tight ? 0 : slack);
  }

  // Repeats a sum that is not finite: a NaN for good, an infinity as long as all elements are
  // finite.
  template <class Tile>
  TALLY_CPU_FN bool emit_settled(Tile const& t, Out* out) const {
    if (!window_.kept.is_nan_sum() && !all_finite(t)) return false;
    std::fill_n(out, t.count, window_.kept.template result<Out>());
    return true;
  }

  // Tries a window with room to grow, then a tight one, which may reach bits, or small outputs,
  // that the other does not; then goes one by one.
  template <class Tile>
  TALLY_CPU_FN bool emit_by_extraction(Tile const& t, int needed, Out* out) {
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

  // Calls f(high, low, finer, k) for vectors of elements from k on, with the running sums of what
  // they have in the window's two parts, and with what each has below. Returns the last sums.
  template <class Tile, class F>
  TALLY_CPU_FN std::pair<double, double> for_each_extracted(Tile const& t, F&& f) const {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    double const sigma1 = window::sigma(window_.w1()), sigma2 = window::sigma(window_.w2());
    double const down = power_of_two(-window_.shift), up = power_of_two(window_.shift);
    doubles high{}, low{};
    high += window_.high, low += window_.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      constexpr bool may_shift = std::is_same_v<In, double>;
      doubles const scaled = may_shift ? x * down : x;
      doubles const h = (sigma1 + scaled) - sigma1, l = (sigma2 + (scaled - h)) - sigma2;
      doubles finer = (scaled - h) - l;
      if constexpr (may_shift) finer = finer * up + (x - scaled * up);  // and what scaling has lost
      high = highs(h), low = lows(l);
      f(high, low, finer, k);
      k += lanes;
    });
    return {double(high[lanes - 1]), double(low[lanes - 1])};
  }

  // Does what emit_strict does, in a window that is there already, for elements whose exponents
  // alone say that they end within it.
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
    double const sigma1 = window::sigma(w.w1());
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
      doubles const h = (sigma1 + x) - sigma1;
      high = highs(h);
      low = lows(x - h);
      doubles const sum = high + (Rest ? low + sticky : low);
      TALLY_CLAIM(note(k, high, low, sum));
      if constexpr (Rest) nearest = min_of(nearest, size_of(sum));
      out.put(k, sum, t.count - k);
      k += lanes;
    });
    auto const most = greatest_lane(largest);
    auto const least = least_lane(smallest);
    int const top = std::max(int(most >> 52), 1) - 1022;
    int const lowest = std::clamp(int(least >> 51), 1, 2047) - 1075;
    if (most != 0 && (top_needed(top, false) > w.top || lowest < w.w2())) return false;
    if (Rest && any(nearest < near)) return false;
    w.move_to(high[lanes - 1], low[lanes - 1]);
    TALLY_CLAIM(moves<format<Out>>(truth_, t, w.shift).rounds("whole"));
    TALLY_CLAIM(summed().low("whole.low", power_of_two(w.w2() + 53)));
    TALLY_CLAIM(summed().high("whole.high", power_of_two(w.w1() + 53)));
    TALLY_CLAIM(offset("window.kept", truth_, w, power_of_two(w.w2())));
    return true;
  }

  // From this magnitude on, no rounding boundary is finer than what represents a rest.
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
    ziv_rounding<narrowed, lanes> rounded(0, 0);
    auto const last = for_each_extracted(
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
    if (any(left) || any(smallest < least) || (!to_double && !rounded.decided())) return false;
    window_.move_to(last.first, last.second);
    TALLY_CLAIM(moves<format<Out>>(truth_, t, window_.shift).rounds("strict"));
    TALLY_CLAIM(summed().low("strict.low", power_of_two(window_.w2() + 53)));
    TALLY_CLAIM(summed().high("strict.high", power_of_two(window_.w1() + 53)));
    TALLY_CLAIM(offset("window.kept", truth_, window_, power_of_two(window_.w2())));
    return true;
  }

  // A bound on the error of what a tile's elements have below 2^w1, added up in doubles. Running
  // sums are below 2^(w1 + 9), and the one addition to them a vector rounds by at most 2^(w2 - 3);
  // sums within a vector are smaller.
  template <class Tile>
  double off(Tile const&) const {
    return (Tile::size / Tile::vector_bytes + 1) * power_of_two(window_.w2());
  }

  template <class Tile>
  TALLY_CPU_FN bool emit_loose(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    auto& w = window_;
    double const sigma1 = window::sigma(w.w1()), unit = power_of_two(w.w2());
    double const down = power_of_two(-w.shift), up = power_of_two(w.shift);
    // Since the window holds, less than 2^13 units are unknown.
    double const bound = 2 * (std::max(w.unknown, unit) + off(t));
    TALLY_CLAIM(within("loose.unknown", w.unknown + off(t), unit * 0x1p13));
    doubles high{}, low{};
    high += w.high, low += w.low;
    sliding_sums<double, lanes> highs(high), lows(low);
    bits differ{}, largest{};
    constexpr int normal = format<narrowed>::lowest + format<narrowed>::precision;
    ziv_rounding<narrowed, lanes> rounded(1 << 9, power_of_two(std::max(w.w2() + 13 + 44, normal)));
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      constexpr bool may_shift = std::is_same_v<In, double>;
      largest = max_of(largest, cast<bits>(x) & std::numeric_limits<std::int64_t>::max());
      doubles const scaled = may_shift ? x * down : x, h = (sigma1 + scaled) - sigma1;
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
    if (to_double ? any(differ) : !rounded.decided()) return false;
    auto const most = std::bit_cast<double>(greatest_lane(largest));
    constexpr double end =
        is_one_of<In, float16> ? 0x1p16 : std::numeric_limits<double>::infinity();
    if (!(most < end) || top_needed(window::exponent_above(most), most == 0) > w.top + w.shift)
      return false;
    TALLY_CLAIM(moves<format<Out>>(truth_, t, w.shift).rounds("loose").parts("loose.bound", bound));
    TALLY_CLAIM(summed().units("loose.tolerance", to_double ? 0 : 1 << 9));
    w.drift(t, high[lanes - 1], low[lanes - 1], off(t));
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

  // The sum of a and b rounded to odd, so that a second rounding sees what the first one dropped;
  // `sum` is a + b rounded to nearest. (S. Boldo and G. Melquiond, "Emulation of a FMA and
  // correctly rounded sums: proved algorithms using rounding to odd", IEEE Trans. Comput. 57(4),
  // 2008. The error of `sum` is Knuth's TwoSum.)
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
