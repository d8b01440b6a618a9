// SPDX-License-Identifier: Apache-2.0
//
// What states must do, wherever they are made: those of parts, some sent as bytes, make the bytes
// and the result of a single call over the whole array.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tally/tally.hpp"

namespace support {

using bytes = std::vector<std::byte>;

// Of one size, or of any bits, with what is not finite among them.
template <class T>
std::vector<T> state_values(std::size_t n, bool any, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> out(n);
  for (auto&& x : out) {
    if constexpr (tally::floating<T>)
      x = any ? tally::from_bits<T>(tally::bits_of<T>(random()))
              : tally::convert<T>(double(tally::convert<T>(normal(random))));
    else
      x = T(random());
    if (random() % 16 == 0) x = T{};
    if constexpr (tally::floating<T>)
      if (any && random() % 64 == 0) x = tally::quiet_nan<T>();
  }
  return out;
}

template <class R>
std::string text_of_result(R const& r) {
  std::string out;
  auto const put = [&](char const*, auto const& x) {
    auto const bits = tally::to_bits(x);
    out += std::to_string(bits) + " ";
  };
  if constexpr (tally::element<R>)
    put("", r);
  else if constexpr (requires { r.each(put); })
    r.each(put);
  return out;
}
template <class F>
std::string result_or_error(F const& f) {
  try {
    return text_of_result(f());
  } catch (tally::error const& e) {
    return e.what();
  }
}

// A Place is where elements are: where() is what calls are told, array(x, n), other_array(y, n) and
// offsets(all) are spans of what they read, in memory of the host; one without_rows is not asked
// for states of these:
struct arrays_here {
  template <class T>
  std::span<T const> array(T const* x, std::size_t n) const {
    return {x, n};
  }
  template <class T>
  std::span<T const> other_array(T const* y, std::size_t n) const {
    return {y, n};
  }
  std::span<std::int64_t const> offsets(std::vector<std::int64_t> const& all) const { return all; }
};

// The state of [0, n) from parts that end at random places.
template <class Op, class Read>
auto state_of_parts(Op const& op, std::size_t n, std::mt19937_64& random, Read const& read) {
  auto all = read(0, 0);
  using state = decltype(all);
  std::vector<state> parts;
  for (std::size_t at = 0; at < n || parts.empty();) {
    std::size_t const size = std::min<std::size_t>(n - at, random() % (n / 2 + 2));
    parts.push_back(read(at, size));
    if (random() % 2) parts.back() = state::deserialise(parts.back().serialise(), op);
    at += size;
  }
  while (parts.size() > 1) {
    std::size_t const right = 1 + random() % (parts.size() - 1);
    std::size_t const left = parts[0].is_ordered() ? right - 1 : right == 1 ? 0 : random() % right;
    parts[left].append(parts[right]);
    parts.erase(parts.begin() + std::ptrdiff_t(right));
  }
  return parts.front();
}

template <class State, class Whole, class Result>
void expect_state(State const& got, Whole const& want, Result const& result,
                  std::string const& what) {
  EXPECT_EQ(got.count(), want.count()) << what;
  EXPECT_EQ(got.serialise() == want.serialise(), true) << what;
  EXPECT_EQ(result_or_error([&] { return got.result(); }), result_or_error(result)) << what;
}

template <class T, class Op, class Place>
void expect_states_of_arrays(Place& place, Op const& op) {
  tally::cpu const here;
  for (std::size_t n : {0, 1, 2, 100, 3001})
    for (bool any : {false, true})
      for (auto const nan : {tally::propagate, tally::skip}) {
        std::mt19937_64 random(n + any);
        auto const x = state_values<T>(n, any, unsigned(n)), y = state_values<T>(n, any, 1);
        std::string const what = std::string(Op::name) + " of " + std::to_string(n) +
                                 (any ? ", any bits" : "") + (nan == tally::skip ? ", skip" : "");
        auto const expect = [&](auto const& whole, auto const& read) {
          auto const got = state_of_parts(op, n, random, [&](std::size_t at, std::size_t size) {
            return tally::reduce(place.where(), read(at, size), tally::as_state{op, at}, {nan});
          });
          expect_state(
              got, tally::reduce(here, whole, tally::as_state{op}, {nan}),
              [&] { return tally::reduce(here, whole, op, {nan}); }, what);
        };
        if constexpr (requires { typename Op::template result<T>; })
          expect(std::span<T const>(x.data(), n), [&](std::size_t at, std::size_t size) {
            return place.array(x.data() + at, size);
          });
        else
          expect(tally::zip(std::span<T const>(x.data(), n), std::span<T const>(y.data(), n)),
                 [&](std::size_t at, std::size_t size) {
                   return tally::zip(place.array(x.data() + at, size),
                                     place.other_array(y.data() + at, size));
                 });
      }
}

// Rows of any lengths, of one length, and columns.
template <class T, class Op, class Place>
void expect_states_of_rows(Place& place, Op const& op) {
  tally::cpu const here;
  std::vector<std::int64_t> const offsets = {0, 0, 1, 70, 71, 136, 300, 300, 600};
  for (bool any : {false, true})
    for (auto const nan : {tally::propagate, tally::skip}) {
      auto const x = state_values<T>(600, any, any + 3), y = state_values<T>(600, any, 7);
      auto const expect = [&](auto const& rows_here, auto const& rows_there, char const* what) {
        auto const got = tally::reduce(place.where(), rows_there, tally::as_state{op}, {nan});
        auto const want = tally::reduce(here, rows_here, tally::as_state{op}, {nan});
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t r = 0; r < got.size(); ++r)
          expect_state(
              got[r], want[r], [&] { return tally::reduce(here, rows_here.row(r), op, {nan}); },
              std::string(Op::name) + " of " + what + " " + std::to_string(r) +
                  (any ? ", any" : "") + (nan == tally::skip ? ", skip" : ""));
      };
      auto const of_all = [&](auto const& x_here, auto const& x_there, char const* what) {
        if constexpr (requires { typename Op::template result<T>; })
          expect(x_here(x.data(), offsets.data()), x_there(place.array(x.data(), 600)), what);
        else
          expect(tally::zip(x_here(x.data(), offsets.data()), x_here(y.data(), offsets.data())),
                 tally::zip(x_there(place.array(x.data(), 600)),
                            x_there(place.other_array(y.data(), 600))),
                 what);
      };
      using all = std::span<T const>;
      of_all([](T const* p, auto) { return tally::rows<T const>{p, 7, 75, 85}; },
             [](all p) { return tally::rows<T const>{p.data(), 7, 75, 85}; }, "row");
      of_all([](T const* p, auto) { return tally::columns<T const>{p, 60, 9, 10}; },
             [](all p) { return tally::columns<T const>{p.data(), 60, 9, 10}; }, "column");
      auto const there = place.offsets(offsets);
      of_all([&](T const* p, std::int64_t const*) { return tally::segments(all(p, 600), offsets); },
             [&](all p) { return tally::segments(p, there); }, "segment");
    }
}

template <class T, class Op, class Place>
void expect_states(Place& place, Op const& op = {}) {
  expect_states_of_arrays<T>(place, op);
  if constexpr (!requires { Place::without_rows; }) expect_states_of_rows<T>(place, op);
}

// Calls f(op) with each of the table that takes elements T, or pairs of them.
template <class T, class F>
void for_all_aggregates(F const& f) {
  using namespace tally;
  f(sum{}), f(fast_sum{}), f(product{}), f(count_nonzero{}), f(any_of{}), f(all_of{});
  f(minimum{}), f(maximum{}), f(min_max{}), f(peak_to_peak{}), f(arg_minimum{}), f(arg_maximum{});
  f(mean{}), f(variance{1}), f(standard_deviation{}), f(sum_of_squares{}), f(tally::norm{});
  f(dot{}), f(describe{}), f(moments_state{});
  if constexpr (floating<T>)
    f(sum_state{}), f(dot_state{});
  else
    f(tally::bit_and{}), f(tally::bit_or{}), f(tally::bit_xor{});
}

template <class T, class Place>
void expect_all_states(Place& place) {
  for_all_aggregates<T>([&](auto const& op) { expect_states<T>(place, op); });
}

}  // namespace support
