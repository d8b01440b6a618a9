// SPDX-License-Identifier: Apache-2.0
//
// Short rows, and columns, eight at a time: each is a lane's, which adds its elements in doubles,
// or compares them, without a state. What a lane cannot tell for certain is reduced as a row alone.
#pragma once

#include <algorithm>
#include <vector>

#include "tally/cpu/reduce.hpp"
#include "tally/cpu/tile/simd.hpp"

namespace tally::detail {

inline constexpr int lane_count = 8;

// lanes_for<A>::type is what lanes do for A, where there are such lanes. It has
//
//   longest_row              that lanes are faster for
//   sums                     of all lanes, from no elements, in memory
//   running                  the same in registers: load(sums), store(running, sums)
//   add(running, x)          an element x[k] for each lane k
//   append(running, running) what others have found of the same rows
//   finish(a, sums, k, n, out)
//                            writes the result of lane k's n elements; false if it is in doubt
template <class A>
struct lanes_for;
template <class A>
concept has_lanes = requires { typename lanes_for<A>::type; };

// Whether rows are neighbours in memory, element by element.
inline bool are_columns(row_layout const& rows) { return rows.stride == 1 && rows.is_apart(); }
// Longer rows than L's are faster one after the other.
template <class L>
bool suit_lanes(row_layout const& rows) {
  return rows.count >= lane_count && (are_columns(rows) || rows.length <= L::longest_row);
}

// Rows of one length that begin by steps.
template <class T>
struct lane_rows {
  T const* data;
  row_layout const& rows;
};

// Adds elements [begin, end) of the rows from r on, of which `some` there are.
template <class L, class T>
TALLY_CPU_FN void add_rows(lane_rows<T> const& in, std::uint64_t r, int some, std::uint64_t begin,
                           std::uint64_t end, typename L::sums& sums) {
  T const* first[lane_count];
  for (int k = 0; k < lane_count; ++k)
    first[k] = in.data + in.rows.begin(r + std::uint64_t(k < some ? k : 0));
  bool const together = some == lane_count && first[lane_count - 1] == first[0] + lane_count - 1 &&
                        are_columns(in.rows);
  std::int64_t const step = in.rows.step;
  auto s = L::load(sums);
  if (together) {
    T const* from = first[0] + std::int64_t(begin) * step;
    for (std::uint64_t i = begin; i < end; ++i, from += step) L::add(s, from);
  } else {
    for (std::uint64_t i = begin; i < end; ++i) {
      T x[lane_count];
      for (int k = 0; k < lane_count; ++k) x[k] = first[k][std::int64_t(i) * step];
      L::add(s, x);
    }
  }
  L::store(s, sums);
}

// A block of rows, and of their elements, that one thread adds at a time: of columns what lies in a
// few lines of memory, so that each is read once.
inline constexpr int rows_of_a_block = 256, elements_of_a_block = 16;

template <class L>
struct block_sums {
  typename L::sums of[rows_of_a_block / lane_count];
};
template <class L, class T>
TALLY_CPU_FN void add_block(lane_rows<T> const& in, std::uint64_t r, int some, std::uint64_t begin,
                            std::uint64_t end, block_sums<L>& sums) {
  for (std::uint64_t i = begin; i < end; i += elements_of_a_block)
    for (int k = 0; k < some; k += lane_count)
      add_rows<L>(in, r + std::uint64_t(k), std::min(some - k, lane_count), i,
                  std::min<std::uint64_t>(i + elements_of_a_block, end), sums.of[k / lane_count]);
}

template <class L>
void append_block(block_sums<L> const& from, block_sums<L>& to) {
  run_vectorised([&](auto) __attribute__((always_inline)) {
    for (int k = 0; k < rows_of_a_block / lane_count; ++k) {
      auto s = L::load(to.of[k]);
      L::append(s, L::load(from.of[k]));
      L::store(s, to.of[k]);
    }
  });
}

// A result for each row, to out's.
template <aggregate A>
  requires has_lanes<A>
void reduce_rows_by_lanes(A const& a, cpu where, lane_rows<typename A::element> const& in,
                          row_elements<typename A::element> const& all, nan_policy nan,
                          rows<typename A::result> const& out) {
  using L = typename lanes_for<A>::type;
  std::uint64_t const count = in.rows.count, n = in.rows.length;
  std::uint64_t const blocks = (count + rows_of_a_block - 1) / rows_of_a_block;
  int const threads = thread_count(where);
  std::uint64_t const wanted = 4 * std::uint64_t(threads);
  std::uint64_t const most = std::max<std::uint64_t>(n / 4096, 1);
  std::uint64_t const parts = blocks < wanted ? std::min(wanted / blocks + 1, most) : 1;
  std::uint64_t const part = (n + parts - 1) / parts;
  auto const rows_in = [&](std::uint64_t b) {
    return int(std::min<std::uint64_t>(count - b * rows_of_a_block, rows_of_a_block));
  };
  std::vector<block_sums<L>> found(parts > 1 ? std::size_t(blocks * parts) : 0);
  auto const sums_of = [&](std::uint64_t b, std::uint64_t p, block_sums<L>& sums) {
    run_vectorised([&](auto) __attribute__((always_inline)) {
      add_block<L>(in, b * rows_of_a_block, rows_in(b), p * part, std::min(n, (p + 1) * part),
                   sums);
    });
  };
  auto const shared = parts_at_once(a);
  auto const finish = [&](std::uint64_t b, block_sums<L> const& sums) {
    for (int k = 0; k < rows_in(b); ++k) {
      std::uint64_t const r = b * rows_of_a_block + std::uint64_t(k);
      if (!L::finish(a, sums.of[k / lane_count], k % lane_count, n, out.data[out.begin(r)]))
        reduce_row_on_cpu(a, shared, cpu{1}, all, r, nan, out);
    }
  };
  with_standard_arithmetic([&] {
    if (parts > 1)
      parallel_for(threads, std::size_t(blocks * parts),
                   [&](std::size_t i) { sums_of(i / parts, i % parts, found[i]); });
    // Some blocks at a time.
    std::uint64_t const some = blocks / (64 * std::uint64_t(threads)) + 1;
    parallel_for(threads, std::size_t((blocks + some - 1) / some), [&](std::size_t i) {
      for (std::uint64_t b = i * some; b < std::min(blocks, (i + 1) * some); ++b) {
        block_sums<L> sums{};
        if (parts == 1) sums_of(b, 0, sums);
        for (std::uint64_t p = 0; parts > 1 && p < parts; ++p)
          append_block(found[std::size_t(b * parts + p)], sums);
        finish(b, sums);
      }
    });
  });
}

}  // namespace tally::detail
