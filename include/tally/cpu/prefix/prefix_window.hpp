// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/cpu/sum/exact_accumulator.hpp"

namespace tally::detail {

// An exact sum, seen through a window that suits its size, as high + low + rest, in units of
// 2^shift (which is 0 but for sums near the end of a double's range):
//   high   a multiple of 2^w1, w1 = top - 52, |high| < 2^top
//   low    a multiple of 2^w2, w2 = w1 - 42, at most about 2^(w1 - 1) between tiles
//   rest   whatever is finer: `kept`, |kept| < 2^w2, most often zero
// (The parts are extracted as S. M. Rump, T. Ogita and S. Oishi do it, 2008; see windows.hpp.)
// Or the window drifts: low is a double of that size, and high + low is only known to be within
// `unknown` of the sum, which is `kept` and the tiles that are `behind`.
template <class State, floating In>
class prefix_window {
 public:
  static constexpr int lowest_top = std::max(-900, format<In>::lowest + 94);

  double high = 0, low = 0;
  double sticky = 0;   // half a unit of 2^w2 with the sign of kept, or 0
  double unknown = 0;  // 0: it does not drift
  int top = std::numeric_limits<int>::min(), shift = 0;
  // Whether tiles stay where they are, and nobody asks for the sum of all: what is behind is then
  // added up only where a window has to be fitted to it.
  bool lazy = false;
  State kept;

  explicit prefix_window(State const& s) : kept(s) {}

  int w1() const { return top - 52; }
  int w2() const { return top - 94; }
  static TALLY_CPU_FN double sigma(int w) { return 1.5 * power_of_two(52 + w); }
  static TALLY_CPU_FN double multiple_of(double x, int w) { return (sigma(w) + x) - sigma(w); }
  static TALLY_CPU_FN int exponent_above(double x) {
    return int(std::bit_cast<std::uint64_t>(std::fabs(x)) >> 52) - 1022;
  }

  TALLY_CPU_FN bool holds(int needed) const {
    return needed <= top + shift && std::fabs(high) <= power_of_two(top - 1) &&
           unknown <= max_unknown(top);
  }
  // Chooses a window that holds the present sum and prefixes below 2^needed; false for what is not
  // finite.
  TALLY_CPU_COLD bool fit(int needed, int room) {
    count_path(path::scan_fit);
    if (!kept.is_finite_sum()) return false;
    if (unknown != 0 && room != 0 && coarsen(needed, room)) return true;
    settle();
    int const own = exponent_above(rounded(down)) + down;
    int const next = std::max({needed, own + 1, lowest_top}) + room;
    shift = next > 960 ? down : 0;
    top = next - shift;
    high = take(multiple_of(rounded(shift), w1()));
    low = take(multiple_of(rounded(shift), w2()));
    double const fine = rounded(0);
    sticky = fine == 0 ? 0 : std::copysign(power_of_two(w2() - 1), fine);
    return true;
  }

  // Adds to high and low. The low part may have grown by 2^9: what it can, it hands up.
  TALLY_CPU_FN void move_to(double next_high, double next_low) {
    double const up = multiple_of(next_low, w1());
    high = next_high + up;
    low = next_low - up;
    TALLY_CLAIM(within("window.low", low, power_of_two(w1() - 1)));
  }
  // Adds a sum of elements; false if it has bits below the window.
  TALLY_CPU_FN bool add(double sum) {
    double const h = multiple_of(sum, w1()), l = multiple_of(sum - h, w2());
    if (sum - h != l) return false;
    move_to(high + h, low + l);
    return true;
  }
  // Moves past a tile whose elements are all finite, to a sum that is off by at most `off`.
  template <class Tile>
  TALLY_CPU_FN void drift(Tile const& t, double next_high, double next_low, double off) {
    if (unknown == 0) {
      keep(high), keep(low);
      unknown = power_of_two(w2());
    }
    if (t.from != waiting_ + wait_) add_waiting(), waiting_ = t.from;
    wait_ += t.count;
    if (!lazy) add_waiting();
    TALLY_CLAIM(drifts("drift.off", t, high, low, next_high, next_low, shift, off));
    move_to(next_high, next_low);
    unknown = (unknown + off) * (1 + 0x1p-40);
  }

  // Moves all of the sum to `kept`; the next tile needs a fit.
  void empty() {
    settle();
    sticky = 0;
    top = std::numeric_limits<int>::min();
    shift = 0;
  }
  void store(State& s) {
    empty();
    s = kept;
  }

 private:
  static constexpr int down = 64;
  static TALLY_CPU_FN double max_unknown(int top) { return power_of_two(top - 94 + 12); }
  widened_accumulator<In, compiled_accumulator<exact_accumulator<In>>> behind_;
  In const* waiting_ = nullptr;  // elements that are not in `behind_` yet
  std::ptrdiff_t wait_ = 0;      // how many

  void keep(double x) {
    auto const p = take_apart(x);
    kept.finite.add(p.negative, p.significand, p.exponent + shift);
  }
  double take(double x) {
    keep(-x);
    return x;
  }
  void settle() {
    if (unknown == 0)
      keep(high), keep(low);
    else
      add_waiting(), behind_.flush(kept);
    high = low = unknown = 0;
  }
  // Out of line: scans have many copies of what calls it, and this is much code.
  TALLY_CPU_COLD void add_waiting() {
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      using piece = tile<In, skip, width, reduced_at_once<In>>;  // all its NaNs are to be skipped
      for (; wait_ > 0; waiting_ += piece::size, wait_ -= piece::size)
        behind_.add(piece{waiting_, int(std::min<std::ptrdiff_t>(wait_, piece::size)), 0}, kept);
    });
    wait_ = 0;
  }
  // Chooses a larger window for a sum that drifts on, which takes no exact sum; false if it cannot.
  bool coarsen(int needed, int room) {
    int const next = std::max(needed, exponent_above(high) + shift + 1) + room;
    if (next <= top + shift || (next > 960) != (shift != 0)) return false;
    top = next - shift;
    double const up = multiple_of(high, w1());
    unknown += power_of_two(w2());  // more than the next line rounds
    move_to(up, (high - up) + low);
    return true;
  }
  // The sum in `kept`, rounded, in units of 2^of.
  double rounded(int of) const {
    bool negative;
    auto const m = kept.finite.magnitude(negative);
    return round_natural<double>(negative, m, kept.finite.lsb - of);
  }
};

}  // namespace tally::detail
