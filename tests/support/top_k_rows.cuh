// SPDX-License-Identifier: Apache-2.0
//
// Rows that are hard to select from, teams of every size, and how a test sees which way was taken.
#pragma once

#include "support/device_scan.cuh"
#include "support/device_top_k.cuh"
#include "tally/device/rows/row.cuh"

namespace support {

using tally::top_k_options;
using paths = std::vector<std::uint32_t>;
// The one that so many rows take.
inline paths path(row_path taken, std::uint64_t rows = 1) {
  paths all(row_paths);
  all[unsigned(taken)] = std::uint32_t(rows);
  return all;
}
inline paths const sampled = path(row_path::sampled), sampled_ties = path(row_path::sampled_ties),
                   by_digits = path(row_path::by_digits), short_rows = path(row_path::short_rows),
                   narrowed = path(row_path::narrowed),
                   narrowed_ties = path(row_path::narrowed_ties),
                   block_rows = path(row_path::block_rows);

// Integers have no NaN to skip.
template <class T = float>
std::vector<top_k_options> all_options() {
  std::vector<top_k_options> all;
  for (auto order : {tally::largest, tally::smallest})
    for (bool sorted : {true, false})
      for (auto nan : {tally::propagate, tally::skip})
        if (nan == tally::propagate || tally::floating<T>)
          all.push_back({order, sorted, false, nan});
  return all;
}

// One row, and how it is to be selected: if not by a block or lanes that hold it, then as if none
// could.
template <class T>
void expect_path(test_call& call, std::vector<T> const& in, std::uint64_t k,
                 top_k_options const& options, paths const& expected, std::string const& what,
                 int offset = 0) {
  paths taken;
  call.hold_rows(expected == block_rows || expected == short_rows);
  expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, options, what, offset, false,
               &taken);
  EXPECT_EQ(taken, expected) << what << ", n = " << in.size() << ", k = " << k << ", "
                             << (options.sorted ? "sorted" : "by index");
}

template <class T>
constexpr std::size_t tile = tally::device::row_batch<tally::bits_of<T>>::items *
                             std::size_t(tally::device::selecting_threads);

// A row so long that a GPU of `multiprocessors` gives it so many blocks.
struct team_of {
  unsigned blocks;
  int multiprocessors;
};
inline constexpr team_of teams[] = {{1, 1}, {2, 1}, {3, 2}, {8, 4}};
template <class T>
std::size_t length_for(team_of const& t, std::size_t more = 101) {
  return t.blocks * tile<T> + more;
}

template <class T>
T number(double x) {
  if constexpr (tally::floating<T>)
    return tally::convert<T>(x);
  else if constexpr (std::is_unsigned_v<T>)
    return T(std::uint64_t(std::int64_t(x)));
  else
    return T(std::int64_t(x));
}
template <class T>
T least_of() {
  if constexpr (tally::floating<T>)
    return tally::infinity<T>(true);
  else
    return std::numeric_limits<T>::lowest();
}
template <class T>
T most_of() {
  if constexpr (tally::floating<T>)
    return tally::infinity<T>(false);
  else
    return std::numeric_limits<T>::max();
}

// Different numbers in any order.
template <class T>
std::vector<T> shuffled(std::size_t n, unsigned seed = 1) {
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = T(i);
  std::mt19937_64 random(seed);
  std::ranges::shuffle(out, random);
  return out;
}

enum class shape {
  rising,
  falling,
  periodic,
  masked,
  few_bits,
  outliers,
  extremes,
  any_bits,
  few,
  best_at_end
};
inline constexpr shape shapes[] = {
    shape::rising,   shape::falling,  shape::periodic, shape::masked, shape::few_bits,
    shape::outliers, shape::extremes, shape::any_bits, shape::few,    shape::best_at_end};
template <class T>
std::vector<T> values_of(shape which, std::size_t n, unsigned seed = 1) {
  using bits = tally::bits_of<T>;
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const r = random();
    switch (which) {
      case shape::rising: out[i] = number<T>(double(i) * 120 / double(n)); break;
      case shape::falling: out[i] = number<T>(120 - double(i) * 120 / double(n)); break;
      case shape::periodic: out[i] = number<T>(double(i % 64)); break;
      case shape::masked: out[i] = r % 1000 ? least_of<T>() : number<T>(double(r % 100)); break;
      case shape::few_bits:
        out[i] = tally::from_bits<T>(bits(tally::to_bits(number<T>(1)) ^ bits(r & 7)));
        break;
      case shape::outliers: out[i] = r % 700 ? number<T>(double(r % 3)) : most_of<T>(); break;
      case shape::extremes: out[i] = r % 2 ? most_of<T>() : least_of<T>(); break;
      case shape::any_bits: out[i] = tally::from_bits<T>(bits(r)); break;
      case shape::few: out[i] = number<T>(double(r % 5)); break;
      case shape::best_at_end: out[i] = number<T>(i + 40 < n ? double(r % 50) : 100); break;
    }
  }
  return out;
}

// Elements that are computed, which have no address to load vectors from.
void expect_top_k_of_computed(std::uint64_t rows, std::uint64_t length, std::uint64_t k,
                              row_path expected, tally::top_k_options const& options = {},
                              int multiprocessors = 1, std::uint64_t gap = 0);

}  // namespace support
