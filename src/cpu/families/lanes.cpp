// SPDX-License-Identifier: Apache-2.0
//
// What lanes add up (row_lanes.hpp).
#include <algorithm>
#include <vector>

#include "../extremum_lanes.hpp"
#include "../moment_lanes.hpp"
#include "tally/compiled.hpp"

namespace tally::detail {

// Adds elements [begin, end) of the rows from r on, of which `some` there are.
template <class L>
TALLY_CPU_FN void add_rows(lane_rows<typename L::element> const& in, std::uint64_t r, int some,
                           std::uint64_t begin, std::uint64_t end, typename L::sums& sums) {
  using T = typename L::element;
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

template <class L>
TALLY_CPU_FN void add_block(lane_rows<typename L::element> const& in, std::uint64_t r, int some,
                            std::uint64_t begin, std::uint64_t end, block_sums<L>& sums) {
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

template <class L>
void add_by_lanes(cpu where, lane_rows<typename L::element> const& in, sums_taker<L> take,
                  void* context) {
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
      take(context, b * rows_of_a_block, rows_in(b), sums);
    }
  });
}

#define HOLD(...)                                                                      \
  template void add_by_lanes<__VA_ARGS__>(cpu, lane_rows<__VA_ARGS__::element> const&, \
                                          sums_taker<__VA_ARGS__>, void*);
#define HOLD_EXTREMA(_, T) HOLD(extremum_lanes<T, true>) HOLD(extremum_lanes<T, false>)
#define HOLD_SUMS(_, T) HOLD(sum_lanes<T, true>) HOLD(sum_lanes<T, false>) HOLD(moment_lanes<T>)

#define EXTREMA TALLY_EACH_element(HOLD_EXTREMA, )
#define SUMS TALLY_EACH_floating(HOLD_SUMS, )
TALLY_FAMILY

}  // namespace tally::detail
