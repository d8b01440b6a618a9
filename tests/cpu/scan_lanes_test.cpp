// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums of short rows, which lanes scan (src/cpu/scan_lanes.hpp), against each row alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tally/tally.hpp"

namespace {

using namespace tally;

// From the easy to what no double holds, and not two of them.
template <class T>
std::vector<T> values(int kind, std::size_t n) {
  std::mt19937_64 random(n + std::size_t(kind));
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (integer<T>) {
      x.push_back(T(random()));
    } else {
      double const y = double(std::int64_t(random() % 2001)) - 1000;
      double const of_kind[] = {y / 8,
                                random() % 90 ? y : y * 0x1p-70,
                                random() % 90  ? y
                                : random() % 2 ? INFINITY
                                               : NAN,
                                random() % 2 ? 0.0 : -0.0,
                                y * 0x1p117,
                                y * (1 + 0x1p-50 * double(random() % 8)),
                                std::ldexp(y, int(random() % 90) * (random() % 40 ? 0 : -1))};
      x.push_back(T(of_kind[kind]));
    }
  }
  return x;
}

template <class T>
std::vector<T> filled(std::size_t n) {
  std::vector<T> x(n);
  std::memset(static_cast<void*>(x.data()), 0x5a, n * sizeof(T));
  return x;
}
template <class T>
void expect_same_bits(std::vector<T> const& got, std::vector<T> const& want, char const* what) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(to_bits(got[i]), to_bits(want[i])) << what << " at " << i;
}

// All of `out` is looked at, and so are the gaps between rows.
template <class In, class Out>
void expect_each_alone(std::vector<In> const& x, std::uint64_t count, std::uint64_t n,
                       std::uint64_t gap) {
  rows<In const> const in{x.data(), count, n, n + gap};
  for (bool const exclusive : {false, true})
    for (int const threads : {1, 3}) {
      auto out = filled<Out>(count * (n + 2 * gap)), want = out, totals = filled<Out>(count),
           want_totals = totals;
      scan_options<Out> how{.init = Out(exclusive ? 3.0 : -0.0), .total = totals.data()};
      rows<Out> const to{out.data(), count, n, n + 2 * gap};
      exclusive ? exclusive_scan(cpu{threads}, in, to, sum{}, how)
                : inclusive_scan(cpu{threads}, in, to, sum{}, how);
      for (std::uint64_t r = 0; r < count; ++r) {
        how.total = &want_totals[r];
        std::span const row(x.data() + r * (n + gap), n);
        std::span const row_out(want.data() + r * (n + 2 * gap), n);
        exclusive ? exclusive_scan(cpu{1}, row, row_out, sum{}, how)
                  : inclusive_scan(cpu{1}, row, row_out, sum{}, how);
      }
      auto const what = std::to_string(count) + " rows of " + std::to_string(n);
      expect_same_bits(out, want, what.c_str());
      expect_same_bits(totals, want_totals, what.c_str());
    }
}
template <class In, class Out>
void expect_shapes(int kind = 0) {
  auto const x = values<In>(kind, 131 * 520);
  for (std::uint64_t const count : {1, 7, 8, 9, 30, 131})
    for (std::uint64_t const n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 32, 127, 128, 129, 512})
      for (std::uint64_t const gap : {0, 3}) expect_each_alone<In, Out>(x, count, n, gap);
}

// Columns, of which the last lanes have some once more.
template <class In, class Out>
void expect_columns(int kind = 0) {
  auto const x = values<In>(kind, 140 * 600);
  for (std::uint64_t const count : {2, 7, 8, 9, 31, 130})
    for (std::uint64_t const n : {2, 15, 16, 33, 600})
      for (int const shape : {0, 1, 2, 3}) {
        bool const exclusive = shape & 1, reverse = shape & 2;
        columns<In const> const in{x.data(), n, count, count + 3};
        auto out = filled<Out>(n * (count + 1)), want = out, totals = filled<Out>(count),
             want_totals = totals;
        scan_options<Out> how{.init = Out(3.0), .reverse = reverse, .total = totals.data()};
        auto const scan = [&](auto const& from, auto const& to) {
          exclusive ? exclusive_scan(cpu{2}, from, to, sum{}, how)
                    : inclusive_scan(cpu{2}, from, to, sum{}, how);
        };
        scan(rows<In const>(in), rows<Out>(columns<Out>{out.data(), n, count, count + 1}));
        for (std::uint64_t c = 0; c < count; ++c) {
          std::vector<In> column;
          for (std::uint64_t i = 0; i < n; ++i) column.push_back(x[i * (count + 3) + c]);
          auto results = filled<Out>(n);
          how.total = &want_totals[c];
          scan(std::span<In const>(column), std::span<Out>(results));
          for (std::uint64_t i = 0; i < n; ++i) want[i * (count + 1) + c] = results[i];
        }
        auto const what = std::to_string(count) + " columns of " + std::to_string(n);
        expect_same_bits(out, want, what.c_str());
        expect_same_bits(totals, want_totals, what.c_str());
      }
}

TEST(scan_lanes, give_columns_the_bits_of_each_alone) {
  for (int kind = 0; kind < 7; ++kind) {
    expect_columns<float, float>(kind);
    expect_columns<float, bfloat16>(kind);
    expect_columns<double, double>(kind);
  }
  expect_columns<std::int32_t, std::int64_t>();
  expect_columns<std::int8_t, std::int8_t>();
}
TEST(scan_lanes, scan_columns_in_place) {
  auto const x = values<float>(1, 40 * 600);
  auto out = filled<float>(x.size()), same = x;
  inclusive_scan(cpu{2}, rows<float const>(columns<float const>{x.data(), 600, 40}),
                 rows<float>(columns<float>{out.data(), 600, 40}), sum{});
  inclusive_scan(cpu{2}, rows<float const>(columns<float const>{same.data(), 600, 40}),
                 rows<float>(columns<float>{same.data(), 600, 40}), sum{});
  expect_same_bits(same, out, "in place");
}

TEST(scan_lanes, give_floats_the_bits_of_each_row_alone) {
  for (int kind = 0; kind < 5; ++kind) {
    expect_shapes<float, float>(kind);
    expect_shapes<float, double>(kind);
    expect_shapes<float, bfloat16>(kind);
    expect_shapes<bfloat16, float>(kind);
  }
}
TEST(scan_lanes, give_doubles_the_bits_of_each_row_alone) {
  for (int kind = 0; kind < 7; ++kind) expect_shapes<double, double>(kind);
}

TEST(scan_lanes, wrap_integers_as_each_row_alone) {
  expect_shapes<std::int8_t, std::int8_t>();
  expect_shapes<std::int16_t, std::int16_t>();
  expect_shapes<std::int16_t, std::int64_t>();
  expect_shapes<std::int32_t, std::int32_t>();
  expect_shapes<std::int32_t, std::int64_t>();
  expect_shapes<std::uint32_t, std::uint64_t>();
  expect_shapes<std::uint64_t, std::uint64_t>();
}

// One element of 24 rows of n ones is y: only its row is left to others.
template <class Out>
void expect_one_in_doubt(float y, std::uint64_t n, std::uint64_t row, std::uint64_t at) {
  std::vector<float> x(24 * n, 1);
  x[row * n + at] = y;
  auto out = filled<Out>(x.size()), want = out, totals = filled<Out>(24), want_totals = totals;
  for (std::uint64_t i = 0; i < x.size(); ++i)
    if (i / n != row) want[i] = want_totals[i / n] = Out(double(i % n + 1));
  rows<float const> const in{x.data(), 24, n};
  rows<Out> const to{out.data(), 24, n};
  bool done[24];
  detail::scan_short_rows_compiled<float, Out>({in, to, Out{}, totals.data(), {}, propagate}, 0, 24,
                                               done);
  for (std::uint64_t r = 0; r < 24; ++r) ASSERT_EQ(done[r], r != row) << y << " at " << at;
  expect_same_bits(out, want, "results");
  expect_same_bits(totals, want_totals, "totals");
}

TEST(scan_lanes, leave_the_row_in_doubt_and_no_other) {
  for (float const y : {0x1p60f, -0x1p-60f, 0x1p58f, INFINITY, -INFINITY, NAN})
    for (std::uint64_t const n : {5, 8})
      for (std::uint64_t row = 0; row < 24; ++row)
        for (std::uint64_t at = 0; at < n; ++at) {
          expect_one_in_doubt<float>(y, n, row, at);
          expect_one_in_doubt<double>(y, n, row, at);
        }
}

// A sum of doubles is two of them: 2^60, and ones with a last bit far below.
TEST(scan_lanes, leave_the_row_in_doubt_that_takes_three_doubles) {
  for (std::size_t at = 0; at < 20; ++at)
    for (double const last : {0.0, 0x1p-40, 0x1p-60}) {
      std::vector<double> x(16 * 20, 1), out(x.size());
      x[3 * 20 + at] = 0x1p60;
      x[3 * 20 + (at + 7) % 20] = last;
      bool done[16];
      detail::scan_short_rows_compiled<double, double>({rows<double const>{x.data(), 16, 20},
                                                        rows<double>{out.data(), 16, 20},
                                                        0,
                                                        nullptr,
                                                        {},
                                                        propagate},
                                                       0, 16, done);
      for (std::size_t r = 0; r < 16; ++r)
        ASSERT_EQ(done[r], r != 3 || last > 0x1p-50 || last == 0);
    }
}

TEST(scan_lanes, are_certain_of_zeros_of_both_signs) {
  auto const x = values<float>(3, 16 * 8);
  std::vector<float> out(x.size());
  rows<float const> const in{x.data(), 16, 8};
  rows<float> const to{out.data(), 16, 8};
  bool done[16];
  detail::scan_short_rows_compiled<float, float>({in, to, -0.0f, nullptr, {}, propagate}, 0, 16,
                                                 done);
  for (bool const certain : done) EXPECT_TRUE(certain);
  for (float const y : out) EXPECT_EQ(to_bits(y), 0u);
}

// Results that bypass the caches, wherever they begin, and where a few rows are left to others.
TEST(scan_lanes, write_more_than_the_caches_hold) {
  for (std::uint64_t const n : {9, 96}) {
    std::uint64_t const count = (std::uint64_t(1) << 23) / n + 1000;
    std::vector<float> x(count * n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7919 % 1001) - 500;
    auto hard = x;
    for (std::size_t i = 0; i < hard.size(); i += 100'003) hard[i] = INFINITY;
    auto out = filled<float>(count * n + 2), want = out;
    for (auto const& from : {x, hard}) {
      inclusive_scan(cpu{2}, rows<float const>{from.data(), count, n},
                     rows<float>{out.data() + 1, count, n}, sum{});
      for (std::uint64_t r = 0; r < count; r += 5000) {
        std::uint64_t const some = std::min<std::uint64_t>(5000, count - r);
        inclusive_scan(cpu{1}, rows<float const>{from.data() + r * n, some, n},
                       rows<float>{want.data() + 1 + r * n, some, n}, sum{});
      }
      EXPECT_EQ(std::memcmp(out.data(), want.data(), out.size() * sizeof(float)), 0);
    }
    inclusive_scan(cpu{2}, rows<float const>{hard.data(), count, n},
                   rows<float>{hard.data(), count, n}, sum{});
    EXPECT_EQ(std::memcmp(hard.data(), want.data() + 1, hard.size() * sizeof(float)), 0);
  }
}

}  // namespace
