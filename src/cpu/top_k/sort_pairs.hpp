// SPDX-License-Identifier: Apache-2.0
//
// Sorts values and their indices together, in place: radix exchange from the highest bit in which
// the keys differ (the American flag sort of McIlroy, Bostic and McIlroy, 1993).
#pragma once

#include <array>
#include <utility>

#include "ranking.hpp"

namespace tally::detail::top_k {

// The order of results: best first, ties by index.
template <class R>
struct by_rank {
  ranking<R> rank;
  TALLY_FN bits_of<R> key(R value, std::int64_t) const { return bits_of<R>(~rank(value)); }
  TALLY_FN bool before(R a, std::int64_t i, R b, std::int64_t j) const {
    auto const x = rank(a), y = rank(b);
    return x > y || (x == y && i < j);
  }
};

struct by_index {
  template <class R>
  TALLY_FN std::uint64_t key(R, std::int64_t index) const {
    return order_key(index);
  }
  template <class R>
  TALLY_FN bool before(R, std::int64_t i, R, std::int64_t j) const {
    return i < j;
  }
};

template <class R, class Order>
void insertion_sort(R* values, std::int64_t* indices, std::size_t n, Order order) {
  for (std::size_t i = 1; i < n; ++i) {
    R const value = values[i];
    std::int64_t const index = indices[i];
    std::size_t j = i;
    for (; j > 0 && order.before(value, index, values[j - 1], indices[j - 1]); --j) {
      values[j] = values[j - 1];
      indices[j] = indices[j - 1];
    }
    values[j] = value;
    indices[j] = index;
  }
}

template <class R, class Order>
bool is_sorted(R const* values, std::int64_t const* indices, std::size_t n, Order order) {
  for (std::size_t i = 1; i < n; ++i)
    if (order.before(values[i], indices[i], values[i - 1], indices[i - 1])) return false;
  return true;
}

// Moves every pair to the bucket of its digit. Returns where the buckets end.
template <class R, class Digit>
std::array<std::size_t, 256> exchange(R* values, std::int64_t* indices, std::size_t n,
                                      Digit digit) {
  std::array<std::size_t, 256> next = {}, end;
  for (std::size_t i = 0; i < n; ++i) ++next[digit(values[i], indices[i])];
  for (std::size_t b = 0, sum = 0; b < 256; ++b) {
    std::size_t const size = std::exchange(next[b], sum);
    end[b] = sum += size;
  }
  for (std::size_t b = 0; b < 256; ++b) {
    while (next[b] < end[b]) {
      R value = values[next[b]];
      std::int64_t index = indices[next[b]];
      for (std::size_t d; (d = digit(value, index)) != b;) {
        std::swap(value, values[next[d]]);
        std::swap(index, indices[next[d]++]);
      }
      values[next[b]] = value;
      indices[next[b]++] = index;
    }
  }
  return end;
}

template <class R, class Order>
void sort_pairs(R* values, std::int64_t* indices, std::size_t n, Order order) {
  if (n <= 24) return insertion_sort(values, indices, n, order);
  if (is_sorted(values, indices, n, order)) return;
  auto const first = order.key(values[0], indices[0]);
  auto differing = decltype(first)(0);
  for (std::size_t i = 1; i < n; ++i)
    differing |= decltype(first)(first ^ order.key(values[i], indices[i]));
  if (differing == 0) return sort_pairs(values, indices, n, by_index{});
  int const shift = std::max(0, int(std::bit_width(differing)) - 8);
  auto const ends = exchange(values, indices, n, [&](R value, std::int64_t index) {
    return std::size_t(order.key(value, index) >> shift) & 255;
  });
  for (std::size_t b = 0, begin = 0; b < 256; begin = ends[b++])
    sort_pairs(values + begin, indices + begin, ends[b] - begin, order);
}

}  // namespace tally::detail::top_k
