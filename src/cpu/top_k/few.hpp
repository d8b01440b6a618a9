// SPDX-License-Identifier: Apache-2.0
//
// A few best of an array, by insertion: most elements are seen to be none, a block at a time. Where
// too many are, as if they ascend, it is given up.
#pragma once

#include <atomic>

#include "pieces.hpp"
#include "sort_pairs.hpp"
#include "tally/cpu/threads.hpp"
#include "tally/cpu/tile/prefetch.hpp"

namespace tally::detail::top_k {

inline constexpr std::size_t most_of_few = 64;

// More take longer to insert than a short array to be read.
inline bool are_few(std::uint64_t k, std::size_t n) {
  return 0 < k && (k <= 16 || (k <= most_of_few && n / 1024 >= k));
}

// The best of those seen, up to k.
template <class R>
struct few {
  using key_type = bits_of<R>;

  ranking<R> rank;
  std::size_t k, size = 0;
  interval<key_type> better = {rank.lowest, ranking<R>::best};  // than what is left out
  key_type keys[most_of_few];
  std::int64_t at[most_of_few];

  few(ranking<R> rank_, std::size_t k_) : rank(rank_), k(k_) {}

  // Of equal keys the earlier one comes first. False if none can be better any more.
  TALLY_FN bool insert(key_type key, std::int64_t index) {
    std::size_t j = size < k ? size++ : k - 1;
    for (; j > 0 && keys[j - 1] < key; --j) keys[j] = keys[j - 1], at[j] = at[j - 1];
    keys[j] = key, at[j] = index;
    if (size < k) return true;
    better.low = key_type(keys[k - 1] + 1);
    return keys[k - 1] != ranking<R>::best;
  }
  // What others have found behind what this has.
  void append(few const& other) {
    bool more = size < k || keys[k - 1] != ranking<R>::best;
    for (std::size_t j = 0; more && j < other.size && better.contains(other.keys[j]); ++j)
      more = insert(other.keys[j], other.at[j]);
  }

  // False if there were too many insertions, here or elsewhere: k (1 + log(n / k)) are usual.
  template <int Width>
  TALLY_FN bool add_all(piece<R> const& from, std::atomic<bool> const& given_up) {
    constexpr std::size_t part = 4096 / sizeof(R);
    std::size_t left = k * std::size_t(std::bit_width(from.size / k)) + 20;
    bool more = true;
    for (std::size_t i = 0; more && i < from.size; i += part) {
      if (i % (16 * part) == 0 && given_up.load(std::memory_order_relaxed)) return false;
      std::size_t const length = std::min(part, from.size - i);
      fetch_ahead(from.values + i, length * sizeof(R));
      more = visit_inside<Width>(rank, from.values + i, length, better, [&](std::size_t j) {
        key_type const key = rank(from.values[i + j]);
        return !better.contains(key) ||
               (insert(key, from.first + std::int64_t(i + j)) && --left != 0);
      });
    }
    return left != 0;
  }
};

template <class R>
void add_piece(few<R>& best, piece<R> const& from, std::atomic<bool>& given_up) {
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    if (!best.template add_all<width>(from, given_up)) given_up = true;
  });
}
// Adds n elements, a piece to each thread.
template <class R>
void add_pieces(few<R>& best, R const* in, std::size_t n, int threads,
                std::atomic<bool>& given_up) {
  auto const parts = split(in, n, 0, threads);
  std::vector<few<R>> found(parts.size(), few<R>(best.rank, best.k));
  parallel_for(threads, parts.size(),
               [&](std::size_t p) { add_piece(found[p], parts[p], given_up); });
  for (auto const& each : found) best.append(each);
}

// False if it is given up.
template <class R>
bool few_best(ranking<R> rank, R const* in, std::size_t n, std::size_t k, bool sorted, int threads,
              output<R>& out) {
  few<R> best(rank, k);
  std::atomic<bool> given_up = false;
  if (threads == 1 || n < parallel_from)
    add_piece(best, {in, n, nullptr, 0}, given_up);
  else
    add_pieces(best, in, n, threads, given_up);
  if (given_up) return false;
  out.resize(best.size);
  for (std::size_t i = 0; i < best.size; ++i) {
    out.values()[i] = in[best.at[i]];
    out.indices()[i] = best.at[i];
  }
  if (!sorted) sort_pairs(out.values(), out.indices(), best.size, by_index{});
  return true;
}

}  // namespace tally::detail::top_k
