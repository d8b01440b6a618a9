// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums that lie half way between two results but for what is far below, at every distance
// in turn: every way of exact_prefix.hpp has a distance at which a bit of it is the last one that
// decides.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/prefixes.hpp"

namespace {

using namespace tally;
using support::expect_prefixes;
using support::full_window;
using support::minus;
using support::prefix_run;
using support::value;

template <class In_, class Out_>
struct types {
  using In = In_;
  using Out = Out_;
};
template <class Types>
class prefixes : public testing::Test {};
using scans =
    testing::Types<types<float16, float16>, types<float16, float>, types<bfloat16, bfloat16>,
                   types<bfloat16, float>, types<bfloat16, double>, types<float, float>,
                   types<float, double>, types<double, double>, types<double, float>>;
TYPED_TEST_SUITE(prefixes, scans);

// Elements are multiples of 2^lowest.
template <class T>
constexpr int lowest = format<T>::lowest;

// Where 2^exponent may be the largest prefix and is far enough from both ends: the range's middle,
// its upper end, and its lower one.
template <class In, class Out>
std::vector<int> places() {
  if constexpr (sizeof(In) == 8) return {0, 1015, -870};
  if constexpr (std::is_same_v<In, float16> || std::is_same_v<Out, float16>) return {9};
  return {0, 118, -20, -80};
}

// The sum stays half way between two results and is moved from there by 2^-d for every d, beside
// what is `tiny` and among elements of `beside`, which cancel.
template <class In, class Out>
bool expect_ties(int top, int tiny, int beside, bool negative, bool descending, bool small) {
  int const deepest = std::min(110, top - lowest<In>);
  int const precision = format<Out>::precision;
  if (precision + 1 > deepest) return true;
  prefix_run<In> run(top - deepest);
  auto const one = run.power(deepest), unit = run.power(deepest - precision + 1);
  if (tiny != 0) {
    if (top - std::abs(tiny) < lowest<In>) return true;
    In const e = value<In>(1, top - std::abs(tiny));
    run.add_tiny((tiny < 0) != negative ? minus(e) : e);
    run.pad();
  }
  run.add(one + unit / 2);
  run.pad();
  for (int i = 1; i <= deepest; ++i) {
    int const at = descending ? i - 1 : deepest - i;
    auto const by = run.power(at);
    if (beside != 0) {
      auto const large = run.power(deepest + beside) -
                         run.power(std::max(0, deepest + beside - format<In>::precision));
      run.add(large), run.add(-large);
    }
    // As small elements, or as the last bits of large ones.
    int const leading = at + format<In>::precision - 1;
    bool const single = small || leading > deepest;
    for (auto const step : {by, -by, -by, by}) {
      auto const large = single ? 0 : run.power(leading);
      if (!single) run.add(-large);
      run.add(large + step);
    }
    run.pad();
    run.add(i % 4 < 2 ? unit : -unit);
    run.pad();
  }
  if (negative)
    for (In& e : run.x)
      if (to_bits(e) != 0) e = minus(e);
  return expect_prefixes<Out>(run.x, "at 2^" + std::to_string(top) + " beside " +
                                         std::to_string(beside) + ", tiny " + std::to_string(tiny));
}

TYPED_TEST(prefixes, at_midpoints_are_decided_by_what_is_far_below) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  unsigned turn = 0;
  for (int const top : places<In, Out>())
    for (int const tiny : {0, 33, -60, 80, -80, 97, -97, 120, -140})
      for (int const beside : {0, -9, 3}) {
        ++turn;
        if (!expect_ties<In, Out>(top, tiny, beside, turn & 1, turn & 2, turn & 4)) return;
      }
}

// How the sum falls from a large one to a small one.
enum class fall { within_a_tile, in_tiles_apart, around_the_small_one };

// The sum falls to every size below what it was, to a midpoint there, beside what is tiny.
template <class In, class Out>
bool expect_small_ties(int top, int tiny, fall how) {
  int const deepest = std::min(110, top - lowest<In>), precision = format<Out>::precision;
  if (top - std::abs(tiny) < lowest<In> || deepest < precision) return true;
  prefix_run<In> run(top - deepest);
  In const e = value<In>(1, top - std::abs(tiny));
  run.add_tiny(tiny < 0 ? minus(e) : e);
  run.pad();
  auto const one = run.power(deepest);
  for (int size = deepest; size - precision >= 0; --size) {
    int const sign = size % 3 ? 1 : -1;
    auto const unit = run.power(size - precision + 1);
    // Half way between two results; or one of them, the last bit of which is set.
    bool const between = (size + tiny) % 4 < 2;
    auto const small = sign * (run.power(size) + (between ? unit / 2 : unit));
    run.move_to(one);
    if (how == fall::in_tiles_apart) run.pad();
    if (how == fall::around_the_small_one) run.add(small);
    run.add(-one);
    if (how == fall::in_tiles_apart) run.pad();
    run.move_to(small);
    for (int const by : {1, 1, -1})
      if (between) run.add(sign * by * unit);
    if (how == fall::in_tiles_apart && size % 2) run.move_to(0);  // the tile leaves nothing
    run.pad();
  }
  return expect_prefixes<Out>(run.x,
                              "at 2^" + std::to_string(top) + ", tiny " + std::to_string(tiny));
}

TYPED_TEST(prefixes, that_have_become_small_are_decided_by_what_is_tiny) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  for (int const top : places<In, Out>())
    for (int tiny = format<Out>::precision + 1; tiny < 140; tiny += top == 0 ? 5 : 17)
      for (fall const how : {fall::within_a_tile, fall::in_tiles_apart, fall::around_the_small_one})
        if (!expect_small_ties<In, Out>(top, tiny % 2 ? tiny : -tiny, how)) return;
}

// The prefixes of a tile reach twice what came before it, so that a double that holds all of them
// has no bit to spare; and then they are midpoints.
template <class In, class Out>
bool expect_ties_of_full_tiles(int top, int tiny, int grain) {
  int const deepest = std::min(110, top - lowest<In>), precision = format<Out>::precision;
  if (top - tiny < lowest<In> || deepest - 9 - grain - format<In>::precision < 0) return true;
  prefix_run<In> run(top - deepest);
  run.add_tiny(value<In>(1, top - tiny));
  run.pad();
  run.add(run.power(deepest) - run.power(deepest - 20));
  run.pad();
  auto const unit = run.power(deepest - precision + 1);  // of results from 2^top on
  auto const most =
      run.power(deepest - 9) - run.power(std::max(0, deepest - 9 - format<In>::precision));
  for (int i = 0; i < 480; ++i) run.add(most);
  run.add(run.power(deepest - 9 - grain));
  run.move_to((run.sum / unit) * unit + unit / 2);
  for (int i = 0; i < 3 && run.x.size() % 512; ++i) run.add(unit);
  run.pad();
  return expect_prefixes<Out>(run.x,
                              "tiny " + std::to_string(tiny) + ", grain " + std::to_string(grain));
}

TYPED_TEST(prefixes, of_full_tiles_are_decided_by_what_is_tiny) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  for (int const top : places<In, Out>())
    for (int tiny = 45; tiny < 100; tiny += 7)
      for (int grain = 15; grain < 60; ++grain)
        if (!expect_ties_of_full_tiles<In, Out>(top, tiny, grain)) return;
}

// As the sums of windows_test.cpp: the last bit is left, and the prefixes before it are right. More
// than one full tile: the sum, too, is as large as a window may have it.
TYPED_TEST(prefixes, keep_the_last_bit_of_full_tiles_at_every_depth) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  auto const check = [](full_window const& w) {
    if (!w.exists<In>() || testing::Test::HasFailure()) return;
    auto const x = w.array<In>();
    std::vector<Out> out(x.size());
    inclusive_scan(cpu{1}, x, out, sum{});
    ASSERT_EQ(to_bits(out.back()), to_bits(convert<Out>(w.odd<In>())))
        << "depth " << w.depth << " middle " << w.middle << " lead " << w.lead << " more "
        << w.more;
    if (w.depth % 8 == 0 && w.lead == 4)
      expect_prefixes<Out>(x, "depth " + std::to_string(w.depth));
  };
  for (int depth = 0; depth <= 120; ++depth)
    for (int const middle : {0, depth / 2})
      for (std::uint64_t const fraction : {1, (1 << 26) + 1}) {
        if (fraction >> (format<In>::precision - 1)) continue;
        for (int const more : {0, 1, 2})
          check({.top = 6, .depth = depth, .middle = middle, .fraction = fraction, .more = more});
        for (int const lead : {3, 4})
          if (depth % 4 == 0)
            check({.top = 6,
                   .depth = depth,
                   .middle = middle,
                   .fraction = fraction,
                   .lead = lead,
                   .before = 0,
                   .more = 7});
        for (int lead = -1; lead <= 8; ++lead)
          check({.top = 6,
                 .depth = depth,
                 .middle = middle,
                 .fraction = fraction,
                 .lead = lead,
                 .before = 0,
                 .more = 1 + lead % 2});
      }
}

// Tiles whose every vector loses as much as it can in one direction, again and again, so that what
// is known of the sum is off by as much as may be; then the sum comes so close to a midpoint.
struct drift {
  int top;    // the sum is about 2^top,
  int room;   // in a window up to 2^(top + room)
  int tiles;  // that drift
  int loss;   // of an element: about 2^-loss units of the window
  int fall;   // then the sum falls by as many binades
};

// All but what comes close to the midpoint.
template <class In>
prefix_run<In> drifted(drift const& d) {
  int const w1 = prefix_run<In>::deepest + d.room - 52, w2 = w1 - 42;
  prefix_run<In> run(d.top - run.deepest);
  run.add(run.power(run.deepest));
  run.pad();
  auto const part =
      run.power(w1 - 1) - run.power(w1 - 6) + run.power(w2 - d.loss) - run.power(w2 - d.loss - 6);
  for (int i = 0; i < d.tiles; ++i) {
    auto const end = run.x.size() + 508;
    while (run.x.size() + 3 < end) {
      auto const before = run.x.size();
      run.add(part);
      if (run.x.size() == before + 2) run.x.push_back({});  // so that all come to every lane
    }
    run.pad();
  }
  for (int i = 0; i < 512 && d.fall > 0; ++i) run.add(-run.power(run.deepest - 9));
  run.pad();
  return run;
}

// To so many units of the window beside a midpoint: farther off than what is known of the sum, and
// nearer.
template <class In, class Out>
bool expect_drifted_ties(drift const& d, bool negative) {
  constexpr int deepest = prefix_run<In>::deepest;
  int const w2 = deepest + d.room - 94;
  if (d.top - deepest < lowest<In> || w2 - d.loss - 6 < 0) return true;
  if (deepest - d.fall - format<Out>::precision < 0) return true;
  auto const start = drifted<In>(d);
  auto const unit = start.power(deepest - d.fall - format<Out>::precision + 1);
  auto const near = d.fall > 0 ? start.power(deepest - d.fall) : start.sum;
  for (double left = 0.5; left < 16 * d.tiles; left *= 2)
    for (int const side : {1, -1}) {
      auto run = start;
      auto const beside = typename prefix_run<In>::units(std::ldexp(side * left, w2));
      run.move_to(near / unit * unit + unit / 2 + beside);
      run.pad();
      if (negative)
        for (In& e : run.x)
          if (to_bits(e) != 0) e = minus(e);
      support::mpfr_prefixes<Out, In> prefix(negative ? -start.sum : start.sum, start.unit);
      std::vector<Out> want;
      for (auto i = start.x.size(); i < run.x.size(); ++i) want.push_back(prefix.next(run.x[i]));
      if (!support::scan_ends_with(run.x, want,
                                   "room " + std::to_string(d.room) + " tiles " +
                                       std::to_string(d.tiles) + " loss " + std::to_string(d.loss) +
                                       " fall " + std::to_string(d.fall) + " left " +
                                       std::to_string(side * left)))
        return false;
    }
  return true;
}

TYPED_TEST(prefixes, that_drifted_far_are_not_taken_for_what_they_are_not) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  bool negative = false;
  for (int const room : {2, 15})
    for (int const loss : {5, 7})
      for (int const tiles : {1, 15})
        for (int const fall : {0, 28, 36, 44, 52, 60}) {
          negative = !negative;
          if (!expect_drifted_ties<In, Out>({0, room, tiles, loss, fall}, negative)) return;
        }
}

// A tile that is larger than all before it, while the sum is known up to a bound only.
TYPED_TEST(prefixes, that_drift_may_leap) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  std::mt19937_64 random(3);
  int const deepest = std::min(70, -lowest<In>);
  for (int leap = 1; leap <= (is_one_of<In, float16> ? 10 : 70); leap += 3) {
    std::vector<In> x(4096);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double const e =
          std::ldexp(1 + double(random() >> 12) * 0x1p-52, -int(random() % unsigned(deepest)));
      x[i] = convert<In>(i / 512 == 5 ? std::ldexp(e, leap) : random() % 2 ? e : -e);
    }
    if (!expect_prefixes<Out>(x, "leap " + std::to_string(leap))) return;
  }
}

// What is not finite comes in tiles apart, in every order.
TYPED_TEST(prefixes, meet_infinities_and_nan_in_later_tiles) {
  using In = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  std::vector<In> const specials{infinity<In>(), infinity<In>(true), quiet_nan<In>(), In{}};
  for (In const a : specials)
    for (In const b : specials) {
      std::vector<In> x(4096, convert<In>(1.5));
      x[700] = a;
      x[1900] = b;
      std::vector<Out> out(x.size());
      inclusive_scan(cpu{1}, x, out, sum{});
      auto const want = [&](std::size_t i) {
        double const sum = (i < 700 ? 0 : double(a)) + (i < 1900 ? 0 : double(b));
        return std::isnan(sum) ? quiet_nan<Out>() : convert<Out>(sum);
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        auto const w = want(i);
        ASSERT_TRUE(is_finite(w) || to_bits(out[i]) == to_bits(w))
            << double(a) << ' ' << double(b) << ' ' << i;
      }
    }
}

// Above 2^960 a window is scaled: what that cuts off decides, too.
TEST(exact_prefix, rounds_what_is_near_the_end_of_the_range_as_what_is_far_below_says) {
  for (int const tiny : {-1074, -1060, -1030, -1010, -900})
    for (bool const apart : {false, true})
      for (double const sign : {1.0, -1.0}) {
        std::vector<double> x(515);
        x[512] = 0x1p1000;
        x[513] = 0x1p947;
        x[apart ? 3 : 514] = std::ldexp(sign, tiny);
        std::vector<double> out(x.size());
        inclusive_scan(cpu{1}, x, out, sum{});
        ASSERT_EQ(out.back(), sign < 0 ? 0x1p1000 : 0x1p1000 + 0x1p948) << tiny << ' ' << apart;
      }
}

// Half a unit of the least float, and something tiny beside it that decides.
TEST(exact_prefix, rounds_doubles_to_subnormals_as_what_is_far_below_says) {
  for (double const tiny : {-0x1p-260, 0x1p-260}) {
    double const element[] = {0x1.8p-149, tiny};
    float out[2];
    inclusive_scan(cpu{1}, std::span(element), std::span(out), sum{});
    ASSERT_EQ(out[1], tiny < 0 ? 0x1p-149f : 0x1p-148f);
  }
}

}  // namespace
