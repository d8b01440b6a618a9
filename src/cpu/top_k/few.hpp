// SPDX-License-Identifier: Apache-2.0
//
// A few best of a short array, by insertion: most elements are seen to be none, a block at a time.
// Where too many are, as if they ascend, it is given up.
#pragma once

#include "pieces.hpp"
#include "sort_pairs.hpp"

namespace tally::detail::top_k {

inline constexpr std::size_t most_of_few = 16, longest_for_few = 1024;

// The best of those seen, up to k.
template <class R>
struct few {
  using key_type = bits_of<R>;

  ranking<R> rank;
  R const* in;
  std::size_t k, size = 0;
  key_type keys[most_of_few] = {};
  std::int64_t at[most_of_few] = {};
  std::size_t insertions = 0;
  interval<key_type> better = {rank.lowest, ranking<R>::best};  // than what is left out

  // k * (1 + log(n / k)) insertions are usual.
  TALLY_FN bool is_given_up() const { return insertions > 6 * k + 20; }
  // Of equal keys the earlier one comes first. False if none can be better any more, or if it is
  // given up.
  TALLY_FN bool add(std::size_t i) {
    key_type const key = rank(in[i]);
    if (!better.contains(key)) return true;
    std::size_t j = size < k ? size++ : k - 1;
    for (; j > 0 && keys[j - 1] < key; --j) keys[j] = keys[j - 1], at[j] = at[j - 1];
    keys[j] = key, at[j] = std::int64_t(i);
    ++insertions;
    if (size < k) return true;
    better.low = key_type(keys[k - 1] + 1);
    return keys[k - 1] != ranking<R>::best && !is_given_up();
  }
  template <int Width>
  TALLY_FN void add_all(std::size_t n) {
    std::size_t i = 0;
    bool more = true;
    while (i < n && size < k) more = add(i++);
    if (more)
      visit_inside<Width>(rank, in + i, n - i, better, [&](std::size_t j) { return add(i + j); });
  }
};

// k is not 0. False if it is given up.
template <class R>
bool few_best(ranking<R> rank, R const* in, std::size_t n, std::size_t k, bool sorted,
              output<R>& out) {
  few<R> best{rank, in, k};
  run_vectorised([&](auto width)
                     __attribute__((always_inline)) { best.template add_all<width>(n); });
  if (best.is_given_up()) return false;
  out.resize(best.size);
  for (std::size_t i = 0; i < best.size; ++i) {
    out.values()[i] = in[best.at[i]];
    out.indices()[i] = best.at[i];
  }
  if (!sorted) sort_pairs(out.values(), out.indices(), best.size, by_index{});
  return true;
}

}  // namespace tally::detail::top_k
