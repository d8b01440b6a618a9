// SPDX-License-Identifier: Apache-2.0
//
// What TALLY_CLAIM can say of a bound. All is decided in another library (record.hpp, exact.hpp),
// by arithmetic of its own: in code for the SIMT machine nothing but calls of it is left.
#pragma once

#include <cstdint>
#include <type_traits>

#include "bounds/exact.hpp"
#include "bounds/prefixes.hpp"
#include "bounds/record.hpp"

#define TALLY_CLAIM_FN inline __attribute__((always_inline))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::bounds {

// Of n values each, which may be in registers of any width where they come from.
void check_within(char const* name, site, double const* used, int n, double allowed);
void check_within(char const* name, site, float const* used, int n, double allowed);
void check_within(char const* name, site, std::int64_t const* used, int n, double allowed);
void check_adds(char const* name, site, double const* a, double const* b, int n);
void check_adds(char const* name, site, float const* a, float const* b, int n);
void check_lanes(char const* name, site, double const* x, int n);

// One by one: pointers to a lane's own memory would be accesses of that lane.
void check_one_within(char const* name, site, double used, double allowed);
void check_one_adds(char const* name, site, double a, double b);
void check_pieces(char const* name, site, double x, int low, int high, int exponent);
void check_counter(char const* name, site, int const* at, int add);

void check_stored(char const* name, site, exact const& found, exact const& wanted);
void check_product(char const* name, site, double a, double b, double product, double error);

void check_approximation(char const* name, site, exact const& truth, double high, double low,
                         double error, int exponent);
void check_mean(char const* name, site, double high, double low, double error, std::uint64_t n,
                double found_high, double found_low, double allowed);
void check_root(char const* name, site, double high, double low, double error, double found_high,
                double found_low, double allowed);
struct approximated {
  double high, low, error;
  int exponent;
};
void check_variance(char const* name, site, approximated const& sum, approximated const& squares,
                    std::uint64_t n, std::uint64_t ddof, double found_high, double found_low,
                    double allowed);
void check_rounds(char const* name, site, double high, double low, double error, int exponent,
                  double result, int precision, int least);
// What two numbers of two doubles make: '*', '-', '/' or 'r', the first one's root.
void check_two_doubles(char const* name, site, char operation, double a_high, double a_low,
                       double b_high, double b_low, double high, double low);
void check_guess(char const* name, site, std::uint64_t part, std::uint64_t guess, double spare);

struct claim_at {
  char const* file;
  int line;

  // |used| <= allowed, in every lane.
  template <class V>
  TALLY_CLAIM_FN void within(char const* name, V const& used, double allowed) const {
    if constexpr (std::is_arithmetic_v<V> || std::is_same_v<V, __int128>) {
      check_one_within(name, {file, line}, double(used), allowed);
    } else {
      using T = std::remove_cvref_t<decltype(used[0])>;
      T lanes[sizeof used / sizeof(T)];
      __builtin_memcpy(lanes, &used, sizeof used);
      check_within(name, {file, line}, lanes, sizeof used / sizeof(T), allowed);
    }
  }
  // a + b is exact in every lane: it has no more bits, from the lowest of both, than their type.
  template <class V>
  TALLY_CLAIM_FN void adds(char const* name, V const& a, V const& b) const {
    if constexpr (std::is_same_v<V, double>) {
      check_one_adds(name, {file, line}, a, b);
    } else {
      using T = std::remove_cvref_t<decltype(a[0])>;
      constexpr int n = sizeof a / sizeof(T);
      T x[n], y[n];
      __builtin_memcpy(x, &a, sizeof a);
      __builtin_memcpy(y, &b, sizeof b);
      check_adds(name, {file, line}, x, y, n);
    }
  }
  // All lanes of these vectors of doubles can be added up in one double.
  template <class... V>
  TALLY_CLAIM_FN void lanes(char const* name, V const&... v) const {
    constexpr int n = (sizeof(V) + ...) / sizeof(double);
    double x[n], *to = x;
    ((__builtin_memcpy(to, &v, sizeof v), to += sizeof v / sizeof(double)), ...);
    check_lanes(name, {file, line}, x, n);
  }
  // A digit that others add to bears this addition, too.
  TALLY_CLAIM_FN void counter(char const* name, int const* at, int add) const {
    check_counter(name, {file, line}, at, add);
  }

  // x = (low + high * 2^16) * 2^exponent, of two pieces that have 16 bits and a sign.
  TALLY_CLAIM_FN void pieces(char const* name, double x, int low, int high, int exponent) const {
    check_pieces(name, {file, line}, x, low, high, exponent);
  }

  // What `sum` stores is the sum of the tile's finite elements, or of f(exact&, element).
  template <class Sum, class Tile, class F>
  TALLY_CLAIM_FN void stores(char const* name, Sum const& sum, Tile const& t, F const& f) const {
    exact found, wanted;
    sum.store(found);
    for (int k = 0; k < t.count; ++k) f(wanted, double(t[k]));
    check_stored(name, {file, line}, found, wanted);
  }
  template <class Sum, class Tile>
  TALLY_CLAIM_FN void stores(char const* name, Sum const& sum, Tile const& t) const {
    stores(name, sum, t, [](exact& to, double x) { to.add(x); });
  }
  template <class Sum, class Tile>
  TALLY_CLAIM_FN void stores_squares(char const* name, Sum const& sum, Tile const& t) const {
    stores(name, sum, t, [](exact& to, double x) {
      if (x - x == 0) to.add_product(x, x);
    });
  }
  // `truth` is what a table holds beside `digits`: now it has what this tile adds ...
  template <class Tile>
  TALLY_CLAIM_FN void tabled(exact& truth, Tile const& t) const {
    for (int k = 0; k < t.count; ++k) truth.add(double(t[k]));
  }
  template <class Tile>
  TALLY_CLAIM_FN void tabled_squares(exact& truth, Tile const& t) const {
    for (int k = 0; k < t.count; ++k)
      if (double const x = double(t[k]); x - x == 0) truth.add_product(x, x);
  }
  // ... here all of it is about to be added to the digits, and here it has been.
  template <class Digits>
  TALLY_CLAIM_FN void flushes(exact& truth, Digits const& digits) const {
    truth.add_digits(digits);
  }
  template <class Digits>
  TALLY_CLAIM_FN void flushed(char const* name, exact& truth, Digits const& digits) const {
    exact found;
    found.add_digits(digits);
    check_stored(name, {file, line}, found, truth);
    truth = exact();
  }

  TALLY_CLAIM_FN void begin() const { bounds::begin(); }
  TALLY_CLAIM_FN void settle(bool counts) const { bounds::settle(counts); }

  // x * y = product + error.
  TALLY_CLAIM_FN void product(char const* name, double x, double y, double product,
                              double error) const {
    check_product(name, {file, line}, x, y, product, error);
  }

  // Leading digits and what is made of them (exact/double_double.hpp).
  template <class Digit, class Leading>
  TALLY_CLAIM_FN void approximation(char const* name, Digit const& digit, int low, int high,
                                    int lsb, Leading const& found) const {
    exact truth;
    for (int i = low; i <= high; ++i) {
      auto const d = std::int64_t(digit(i));
      truth.add(d < 0, d < 0 ? 0 - std::uint64_t(d) : std::uint64_t(d), 32 * i + lsb);
    }
    check_approximation(name, {file, line}, truth, found.value.high, found.value.low, found.error,
                        found.exponent);
  }
  template <class Leading, class Value>
  TALLY_CLAIM_FN void mean(char const* name, Leading const& sum, std::uint64_t n,
                           Value const& value, double error) const {
    check_mean(name, {file, line}, sum.value.high, sum.value.low, sum.error, n, value.high,
               value.low, error);
  }
  template <class Value>
  TALLY_CLAIM_FN void root(char const* name, Value const& x, double error, Value const& value,
                           double allowed) const {
    check_root(name, {file, line}, x.high, x.low, error, value.high, value.low, allowed);
  }
  template <class Leading, class Value>
  TALLY_CLAIM_FN void variance(char const* name, Leading const& sum, Leading const& squares,
                               std::uint64_t n, std::uint64_t ddof, Value const& value,
                               double error) const {
    check_variance(name, {file, line}, {sum.value.high, sum.value.low, sum.error, sum.exponent},
                   {squares.value.high, squares.value.low, squares.error, squares.exponent}, n,
                   ddof, value.high, value.low, error);
  }
  template <class Format, class Value, class R>
  TALLY_CLAIM_FN void rounds(char const* name, Value const& value, double error, int exponent,
                             R const& result) const {
    check_rounds(name, {file, line}, value.high, value.low, error, exponent, double(result),
                 Format::precision, Format::lowest);
  }
  template <class Value>
  TALLY_CLAIM_FN void double_double(char const* name, char operation, Value const& a,
                                    Value const& b, Value const& result) const {
    check_two_doubles(name, {file, line}, operation, a.high, a.low, b.high, b.low, result.high,
                      result.low);
  }
  TALLY_CLAIM_FN void guess(char const* name, std::uint64_t part, std::uint64_t guess,
                            double spare) const {
    check_guess(name, {file, line}, part, guess, spare);
  }

  // Running sums (prefixes.hpp).
  template <class Digits>
  TALLY_CLAIM_FN void starts(running& truth, Digits const& sum) const {
    truth.sum = exact();
    truth.sum.add_digits(sum);
  }
  TALLY_CLAIM_FN void note_one(int k, double sum) const { noted().sum[k] = sum; }
  TALLY_CLAIM_FN void tolerates(double tolerance) const { noted().tolerance = tolerance; }
  // Of every stride-th output from k on.
  template <class V>
  TALLY_CLAIM_FN void note_across(int k, int stride, V const& sum) const {
    double x[sizeof sum / sizeof(double)];
    __builtin_memcpy(x, &sum, sizeof sum);
    auto& to = noted();
    for (double const v : x) to.sum[k] = v, k += stride;
  }
  // From output k on, the parts of sums and the sums themselves.
  template <class V, class W>
  TALLY_CLAIM_FN void note(int k, V const& high, V const& low, W const& sum) const {
    using T = std::remove_cvref_t<decltype(sum[0])>;
    constexpr int n = sizeof sum / sizeof(T);
    T x[n];
    __builtin_memcpy(x, &sum, sizeof sum);
    auto& to = noted();
    for (int i = 0; i < n; ++i) to.sum[k + i] = double(x[i]);
    using U = std::remove_cvref_t<decltype(high[0])>;
    U h[sizeof high / sizeof(U)], l[sizeof high / sizeof(U)];
    __builtin_memcpy(h, &high, sizeof high);
    __builtin_memcpy(l, &low, sizeof low);
    for (int i = 0; i < n; ++i) to.high[k + i] = double(h[i]), to.low[k + i] = double(l[i]);
  }
  // A tile has been summed: what was noted are its running sums in units of 2^shift, rounded to
  // what `Format` says. The truth moves on.
  template <class Format, class Tile>
  TALLY_CLAIM_FN tile_of_sums& moves(running& truth, Tile const& t, int shift = 0) const {
    double x[Tile::size];
    for (int k = 0; k < t.count; ++k) x[k] = double(t[k]);
    last_tile().take({file, line}, truth, x, t.count, shift, Format::precision, Format::lowest);
    return last_tile();
  }
  TALLY_CLAIM_FN tile_of_sums& summed() const { return last_tile(); }
  // The truth is within `allowed` of a window's high + low, all in units of 2^shift.
  template <class Window>
  TALLY_CLAIM_FN void offset(char const* name, running const& truth, Window const& w,
                             double allowed) const {
    check_offset(name, {file, line}, truth, w.high, w.low, w.shift, allowed);
  }
  // (high + low) and a tile is (next_high + next_low), but for `allowed`.
  template <class Tile>
  TALLY_CLAIM_FN void drifts(char const* name, Tile const& t, double high, double low,
                             double next_high, double next_low, int shift, double allowed) const {
    running truth;
    truth.sum.add(high, shift);
    truth.sum.add(low, shift);
    for (int k = 0; k < t.count; ++k) truth.sum.add(double(t[k]));
    check_offset(name, {file, line}, truth, next_high, next_low, shift, allowed);
  }
};

}  // namespace tally::bounds

#pragma GCC diagnostic pop
