// SPDX-License-Identifier: Apache-2.0
//
// Writes the result once the k-th key is known: every better element, and the first by index of
// those that tie with it.
#pragma once

#include "pieces.hpp"
#include "tally/cpu/threads.hpp"

namespace tally::detail::top_k {

// The best elements are all above `key`, and the first `ties` of those equal to it.
template <class Key>
struct threshold {
  Key key;
  std::uint64_t ties;
};

// How much of a piece is taken: `ties` elements equal to the threshold, `size` in all.
struct share {
  std::uint64_t ties, size;
};

// The shares of pieces that stand in ascending order of index; `found` says how many keys each has
// above t.key and equal to it.
template <class Key>
std::vector<share> shares(std::vector<counts> const& found, threshold<Key> t) {
  std::vector<share> result;
  for (counts const& c : found) {
    std::uint64_t const ties = std::min(c.inside, t.ties);
    t.ties -= ties;
    result.push_back({ties, c.above + ties});
  }
  return result;
}

// How many keys of each piece are above `key`, and how many equal to it.
template <class R>
std::vector<counts> count_each(ranking<R> rank, pieces<R> const& from, bits_of<R> key,
                               int threads) {
  std::vector<counts> found(from.size());
  parallel_for(threads, from.size(), [&](std::size_t p) {
    run_vectorised([&](auto) __attribute__((always_inline)) {
      found[p] = count_all(rank, from[p].values, from[p].size, {key, key});
    });
  });
  return found;
}

// Clears the flags of all but the first `ties` elements of a block whose key is `key`.
template <class R>
TALLY_COLD void drop_late_ties(ranking<R> rank, R const* x, std::size_t length, bits_of<R> key,
                               std::uint64_t ties, std::uint8_t* flags) {
  for (std::size_t j = 0; j < length; ++j)
    if (rank(x[j]) == key) flags[j] = ties && ties--;
}

// Writes a piece's share. It may be written over the piece itself: nothing is written ahead of what
// has been read.
template <class R, class IndexOf>
TALLY_FN void emit_share(ranking<R> rank, piece<R> const& from, IndexOf index_of, bits_of<R> key,
                         share take, R* values, std::int64_t* indices) {
  using key_type = bits_of<R>;
  std::uint8_t flags[block_size];
  for (std::size_t i = 0, w = 0; w < take.size; i += block_size) {
    R const* const x = from.values + i;
    std::size_t const length = std::min(block_size, from.size - i);
    auto const c = count_block(rank, x, length, {key, key});
    std::uint64_t const hits = c.above + std::min(c.inside, take.ties);
    if (hits == 0) continue;
    key_type const low = take.ties ? key : key_type(key + 1);
    flag_block(rank, x, length, {low, ranking<R>::best}, flags);
    if (take.ties && c.inside > take.ties) drop_late_ties(rank, x, length, key, take.ties, flags);
    take.ties -= hits - c.above;
    if (hits < block_size / 8 || w + block_size > take.size) {
      for_flagged(flags, [&](std::size_t j) __attribute__((always_inline)) {
        values[w] = x[j];
        indices[w++] = index_of(i + j);
        return true;
      });
    } else {
      for_block(length, [&](std::size_t j) __attribute__((always_inline)) {
        values[w] = x[j];
        indices[w] = index_of(i + j);
        w += flags[j];
      });
    }
  }
}

// Writes the shares of `from`, in order.
template <class R>
void emit(ranking<R> rank, pieces<R> const& from, std::vector<share> const& take, bits_of<R> key,
          R* values, std::int64_t* indices, int threads) {
  std::vector<std::size_t> begins(from.size());
  for (std::size_t p = 1; p < from.size(); ++p) begins[p] = begins[p - 1] + take[p - 1].size;
  parallel_for(threads, from.size(), [&](std::size_t p) {
    piece<R> const piece = from[p];
    R* const out = values + begins[p];
    std::int64_t* const at = indices + begins[p];
    run_vectorised([&](auto) __attribute__((always_inline)) {
      if (piece.indices) {
        auto const stored = [&](std::size_t j)
                                __attribute__((always_inline)) { return piece.indices[j]; };
        emit_share(rank, piece, stored, key, take[p], out, at);
      } else {
        auto const counted = [&](std::size_t j) __attribute__((always_inline)) {
          return piece.first + std::int64_t(j);
        };
        emit_share(rank, piece, counted, key, take[p], out, at);
      }
    });
  });
}

inline std::uint64_t total_size(std::vector<share> const& all) {
  std::uint64_t total = 0;
  for (share const& s : all) total += s.size;
  return total;
}

}  // namespace tally::detail::top_k
