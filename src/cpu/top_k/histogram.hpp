// SPDX-License-Identifier: Apache-2.0
//
// Radix selection without moving anything: a histogram of the keys of an interval narrows it to the
// bin that holds the k-th.
#pragma once

#include "emit.hpp"

namespace tally::detail::top_k {

// The rank-th best key, counted from 1 among the `inside` keys of `range`, is the one sought.
template <class Key>
struct search {
  interval<Key> range;
  std::uint64_t rank, inside;
};

// Adds to bins[b] the number of keys of `range` with (key - range.low) >> shift == b. Two tables
// take turns, so that runs of equal keys do not wait for their own counter.
template <class R>
void add_histogram(ranking<R> rank, piece<R> const& from, interval<bits_of<R>> range, int shift,
                   std::vector<std::uint64_t>& bins) {
  using key_type = bits_of<R>;
  std::size_t const half = bins.size() / 2;
  std::uint64_t* const even = bins.data();
  std::uint64_t* const odd = even + half;
  auto const outside = std::uint32_t(half - 1);
  run_vectorised([&](auto) __attribute__((always_inline)) {
    std::uint32_t digits[block_size];
    for (std::size_t i = 0; i < from.size; i += block_size) {
      R const* const x = from.values + i;
      std::size_t const length = std::min(block_size, from.size - i);
      for_block(length, [&](std::size_t j) __attribute__((always_inline)) {
        key_type const offset = key_type(rank(x[j]) - range.low);
        digits[j] = offset <= range.width() ? std::uint32_t(offset >> shift) : outside;
      });
      std::size_t j = 0;
      for (; j + 2 <= length; j += 2) ++even[digits[j]], ++odd[digits[j + 1]];
      if (j < length) ++even[digits[j]];
    }
  });
}

// The bins that cut a search's range.
struct cut {
  int shift;
  std::size_t bins;  // the last one: outside the range

  // 2048 bins fit the first-level cache; few keys do not pay for clearing them.
  template <class Key>
  explicit cut(search<Key> s) {
    int const digit_bits = std::clamp(int(std::bit_width(s.inside)), 4, 11);
    shift = std::max(0, int(std::bit_width(s.range.width())) - digit_bits);
    bins = (std::size_t(1) << digit_bits) + 1;
  }
};

// How many keys are in each: each thread makes a histogram of its own.
template <class R>
std::vector<std::uint64_t> count_bins(ranking<R> rank, pieces<R> const& from,
                                      interval<bits_of<R>> range, cut c, int threads) {
  std::size_t const tasks = std::min(from.size(), std::size_t(threads));
  std::vector<std::vector<std::uint64_t>> tables(tasks);
  parallel_for(threads, tasks, [&](std::size_t task) {
    tables[task].assign(2 * c.bins, 0);
    for (std::size_t p = task; p < from.size(); p += tasks)
      add_histogram(rank, from[p], range, c.shift, tables[task]);
  });
  std::vector<std::uint64_t> sums(c.bins);
  for (auto const& table : tables)
    for (std::size_t b = 0; b < c.bins; ++b) sums[b] += table[b] + table[c.bins + b];
  return sums;
}

// The search goes on in the bin that holds the key sought.
template <class Key>
search<Key> narrowed(search<Key> s, cut c, std::vector<std::uint64_t> const& keys_in) {
  std::size_t bin = std::size_t(s.range.width() >> c.shift);
  for (; keys_in[bin] < s.rank; --bin) s.rank -= keys_in[bin];
  Key const low = Key(s.range.low + Key(Key(bin) << c.shift));
  Key const span = Key((Key(1) << c.shift) - 1);
  Key const room = Key(s.range.high - low);
  return {{low, Key(low + std::min(span, room))}, s.rank, keys_in[bin]};
}

// Narrows a search by one step.
template <class R>
search<bits_of<R>> narrow(ranking<R> rank, pieces<R> const& from, search<bits_of<R>> s,
                          int threads) {
  cut const c(s);
  return narrowed(s, c, count_bins(rank, from, s.range, c, threads));
}

// Ends a search among few keys.
template <class R>
threshold<bits_of<R>> select_few(ranking<R> rank, pieces<R> const& from, search<bits_of<R>> s) {
  using key_type = bits_of<R>;
  std::vector<key_type> keys(s.inside);
  std::size_t size = 0;
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    for (piece<R> const& p : from)
      visit_inside<width>(rank, p.values, p.size, s.range,
                          [&](std::size_t j) __attribute__((always_inline)) {
                            keys[size++] = rank(p.values[j]);
                            return true;
                          });
  });
  auto const kth = keys.begin() + std::ptrdiff_t(s.rank - 1);
  std::nth_element(keys.begin(), kth, keys.end(), std::greater<>());
  auto const better = std::count_if(keys.begin(), kth, [&](key_type key) { return key > *kth; });
  return {*kth, s.rank - std::uint64_t(better)};
}

// Narrows a search down to the one key.
template <class R>
threshold<bits_of<R>> select(ranking<R> rank, pieces<R> const& from, search<bits_of<R>> s,
                             int threads) {
  while (s.range.low != s.range.high) {
    if (s.inside <= 256) return select_few(rank, from, s);
    s = narrow(rank, from, s, threads);
  }
  return {s.range.low, s.rank};
}

}  // namespace tally::detail::top_k
