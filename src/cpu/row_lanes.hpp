// SPDX-License-Identifier: Apache-2.0
//
// Short rows, and columns, eight at a time: each is a lane's, which adds its elements in doubles,
// or compares them, without a state. What a lane cannot tell for certain is reduced as a row alone.
#pragma once

#include "tally/cpu/reduce.hpp"
#include "tally/cpu/tile/simd.hpp"

namespace tally::detail {

inline constexpr int lane_count = 8;

// What lanes find, L, has
//
//   element                  of the rows
//   sums                     of all lanes, from no elements, in memory
//   running                  the same in registers: load(sums), store(running, sums)
//   add(running, x)          an element x[k] for each lane k
//   append(running, running) what others have found of the same rows
//
// lanes_for<A> is there where lanes help to compute A. It has
//
//   type                     what lanes find
//   longest_row              that lanes are faster for
//   finish(a, sums, k, n, out)
//                            writes the result of lane k's n elements; false if it is in doubt
template <class A>
struct lanes_for;
template <class A>
concept has_lanes = aggregate<A> && requires { typename lanes_for<A>::type; };

// Whether rows are neighbours in memory, element by element.
inline bool are_columns(row_layout const& rows) { return rows.stride == 1 && rows.is_apart(); }
// Longer rows are faster one after the other.
template <has_lanes A>
bool suit_lanes(row_layout const& rows) {
  return rows.count >= lane_count &&
         (are_columns(rows) || rows.length <= lanes_for<A>::longest_row);
}

// Rows of one length that begin by steps.
template <class T>
struct lane_rows {
  T const* data;
  row_layout const& rows;
};

// A block of rows, and of their elements, that one thread adds at a time: of columns what lies in a
// few lines of memory, so that each is read once.
inline constexpr int rows_of_a_block = 256, elements_of_a_block = 16;

template <class L>
struct block_sums {
  typename L::sums of[rows_of_a_block / lane_count];
};

// What becomes of the sums of `some` rows from r on.
template <class L>
using sums_taker = void (*)(void* context, std::uint64_t r, int some, block_sums<L> const& sums);
// Adds up all rows and calls take(context, ...) for each block. Compiled in families/lanes.cpp,
// once for all aggregates that have such lanes.
template <class L>
void add_by_lanes(cpu where, lane_rows<typename L::element> const& in, sums_taker<L> take,
                  void* context);

// A result for each row, to out's.
template <has_lanes A>
void reduce_rows_by_lanes(A const& a, cpu where, row_elements<typename A::element> const& in,
                          nan_policy nan, rows<typename A::result> const& out) {
  using by = lanes_for<A>;
  using sums_type = block_sums<typename by::type>;
  auto const shared = parts_at_once(a);
  auto finish = [&](std::uint64_t first, int some, sums_type const& sums) {
    for (int k = 0; k < some; ++k) {
      std::uint64_t const r = first + std::uint64_t(k), n = in.even->length;
      auto& result = out.data[out.begin(r)];
      if (!by::finish(a, sums.of[k / lane_count], k % lane_count, n, result))
        reduce_row_on_cpu(a, shared, in, r, nan, result);
    }
  };
  add_by_lanes<typename by::type>(
      where, {in.data, *in.even},
      [](void* f, std::uint64_t first, int some, sums_type const& sums) {
        (*static_cast<decltype(finish)*>(f))(first, some, sums);
      },
      &finish);
}

}  // namespace tally::detail
