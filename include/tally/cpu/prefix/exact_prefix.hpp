// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums, a tile at a time.
#pragma once

#include "tally/cpu/prefix/fixed_prefix.hpp"
#include "tally/cpu/prefix/tile_sums.hpp"
#include "tally/cpu/prefix/windowed_prefix.hpp"
#include "tally/cpu/sum/exact_accumulator.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// What is before a tile is an integer on a grid that it shares with the tile (fixed_prefix.hpp), or
// is seen through a window (prefix_window.hpp). There are eight strategies from there on, each of
// which writes the tile's running sums and moves past it, or changes no value:
//   settled     the sum is not finite and remains so
//   fixed       all running sums are integers on the grid
//   near        the sums of the tile's own elements are exact doubles, and so is their sum with
//               what is before, or it is far enough from where its rounding changes
//   whole       strict, where the exponents of doubles say that they end within the window
//   strict      elements are extracted as the window is (sum/windows.hpp); as long as they have
//               nothing below 2^w2, the running sums of their high and of their low parts are exact
//               doubles, and an output is their sum, rounded once. A rest that is kept is
//               represented by half a unit of 2^w2: it decides a tie the right way, and cannot do
//               more as long as no rounding boundary near the output is finer than 2^w2
//   rough       as near, of elements whose running sums no double holds: what additions round is
//               bounded, and the window drifts
//   loose       elements are extracted once; what is left is added up in doubles, and known up to
//               a bound: an output must be the same wherever in it the sum is. The window drifts
//   one by one  the exact sum itself goes from element to element (long_sum.hpp)
// While the window drifts, only rough and loose go on; where they fail, it is fitted again to the
// exact sum.
template <floating In, floating Out, class State>
class exact_prefix : windowed_prefix<In, Out, State> {
 public:
  explicit exact_prefix(State const& s) : base(s) {}
  void store(State& s) {
    window_.store(s);
    fixed_.leave(s.finite);
    count_paths();
  }
  // prefix_window.hpp says what this saves; count_paths() is then called in place of store().
  void be_lazy() { window_.lazy = true; }
  void count_paths() {
    if (by_integers_ != 0) count_path(path::scan_integers, std::exchange(by_integers_, 0));
    if (loose_ != 0) count_path(path::scan_loose, std::exchange(loose_, 0));
  }

  // Emits by the strategies that need no second look at what they have written.
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
      room_for<In, Tile::size> zeroed;
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
  // Emits by the other strategies, whose code is there once, whether NaN is skipped or not.
  template <int VectorBytes>
  bool emit_apart(tile_to_emit<VectorBytes> const& t, Out* out) {
    bool emitted;
    auto const emit =
        [](auto, exact_prefix& self, tile_to_emit<VectorBytes> const& t, Out*& out, bool& emitted)
            __attribute__((always_inline)) { emitted = self.emit_slowly(t, out); };
    run_with_vectors_of<VectorBytes>(emit, *this, t, out, emitted);
    return emitted;
  }
  template <class Tile>
  TALLY_CPU_FN bool emit_slowly(Tile const& t, Out* out) {
    int needed;
    if constexpr (by_sums) {
      tile_sums<In, Tile::vector_bytes / 8> sums;
      auto const e = sums.take(t);
      needed = top_needed(e.top, e.zero);
      bool const close = e.top + tile_bits - e.lowest <= 53;
      // Only where tiles need it does the window drift on: after some that do not, it is fitted.
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
      auto const e = exponent_top_of(t);
      needed = top_needed(e.top, e.zero);
      if (!fit(needed, false)) return false;
    }
    return emit_by_extraction(t, needed, out);
  }

  using base = windowed_prefix<In, Out, State>;
  using base::to_double, base::window_, base::loose_;
  TALLY_CLAIMS_NEED(using base::truth_;)
  using base::emit_by_extraction, base::emit_loose, base::emit_settled, base::emit_whole;
  using base::fit, base::off, base::top_needed, base::size_of;
  using typename base::window;
  static constexpr bool by_sums = !is_one_of<double, In, Out>;
  using fixed = fixed_prefix<In, Out>;
  fixed fixed_;                    // if on, has the sum but for infinities, NaN and what is finer
  std::uint64_t by_integers_ = 0;  // tiles
  // Integers are tried again after wait_ calls, and if they fail then, after patience_ more. (A
  // tile that cannot be streamed makes two calls.)
  int wait_ = 0, patience_ = 1;
  int calm_ = 0;  // how many of the last tiles, in a row, needed no drifting

  template <class Tile, class To>
  TALLY_CPU_FN bool emit_fixed(Tile const& t, To out) {
    if (!fixed_.on() && wait_ > 0) return --wait_, false;
    exponent_range e;
    for (int tries = 0; tries < 2; ++tries) {  // one loop: each call is a copy of much code
      if (fixed_.on()) {
        if (fixed_.emit(t, out, e)) {
          TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("fixed").high("fixed.room", 0x1p62));
          return patience_ = 1, ++by_integers_, true;
        }
      } else {
        e = range_of(t);
      }
      if (tries > 0 || !enter_fixed(e)) break;
    }
    give_up_fixed();
    return false;
  }
  TALLY_CPU_COLD bool enter_fixed(exponent_range const& e) {
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
  static TALLY_CPU_FN exponent_range range_of(Tile const& t) {
    constexpr int lanes = Tile::vector_bytes / 4;
    vec<std::uint32_t, lanes> largest{}, smallest = ~largest;
    for_each_group<lanes>(t, In{}, [&](In const* p) __attribute__((always_inline)) {
      auto const magnitude = float_bits<Tile::skips, lanes>(p) & 0x7fffffff;
      largest = max_of(largest, magnitude);
      smallest = min_of(smallest, magnitude - 1);
    });
    return exponent_range_of_lanes<In>(largest, smallest);
  }

  // Adds the tile's sums to the base on a grid, if the base and all prefixes of the tile fit a
  // double there; what is finer in the base is represented by a quarter of the grid's unit. Else
  // the sums are rounded, and tested.
  template <class Sums>
  TALLY_CPU_FN bool emit_near(int count, exponent_range const& e, Sums& sums, Out* out) {
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

  template <class Tile, class Sums>
  TALLY_CPU_FN bool emit_rough(Tile const& t, Sums& sums, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    auto& w = window_;
    double const sigma1 = window::sigma(w.w1());
    doubles high{}, low{}, sizes{};
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      doubles const h = (sigma1 + x) - sigma1;
      high += h;
      low += x - h;
      sizes += size_of(x);
    });
    // So many additions round before an output, of numbers that are not larger than `most`; the
    // last one rounds by half a unit of the output.
    constexpr int roundings = lanes + Tile::size / (lanes * lanes) + 10;
    double const most = 2 * (sum_of_lanes(sizes) + std::fabs(w.low));
    double const error = most * roundings * 0x1p-53 + w.unknown + off(t);
    constexpr int tolerance = 1 << 14;
    double const least = std::max(2 * error / tolerance * 0x1p53,
                                  power_of_two(format<Out>::lowest + format<Out>::precision));
    if (least > 0x1p126) return false;
    sums.accumulate();
    if (!sums.template emit<Out>(t.count, w.high, w.low, tolerance, least, out)) return false;
    TALLY_CLAIM(moves<format<Out>>(truth_, t).rounds("rough").near("rough.error", error));
    TALLY_CLAIM(summed().units("rough.tolerance", tolerance));
    w.drift(t, w.high + sum_of_lanes(high), w.low + sum_of_lanes(low), off(t));
    TALLY_CLAIM(offset("drift.unknown", truth_, w, w.unknown));
    ++loose_;
    return true;
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
