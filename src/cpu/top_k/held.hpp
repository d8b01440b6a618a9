// SPDX-License-Identifier: Apache-2.0
//
// The best so far, held in the output itself, and how new candidates join them in place.
#pragma once

#include <optional>

#include "histogram.hpp"
#include "sort_pairs.hpp"

namespace tally::detail::top_k {

// Both functions below leave at most k in `held` and return, once it is k, the worst key held.

// `held` and then `fresh` ascend in index, and `held` still does afterwards.
template <class R>
std::optional<bits_of<R>> keep_best(ranking<R> rank, std::uint64_t k, output<R>& held,
                                    piece<R> const& fresh) {
  std::size_t const size = held.size(), total = size + fresh.size;
  if (total < k) {
    held.resize(total);
    std::copy_n(fresh.values, fresh.size, held.values() + size);
    std::copy_n(fresh.indices, fresh.size, held.indices() + size);
    return std::nullopt;
  }
  pieces<R> from = {held.held(), fresh};
  auto const t = select(rank, from, {{0, ranking<R>::best}, k, total}, 1);
  auto const take = shares(count_each(rank, from, t.key, 1), t);
  held.resize(k);
  from[0] = {held.values(), size, held.indices(), 0};
  emit(rank, from, take, t.key, held.values(), held.indices(), 1);
  return t.key;
}

// Sorts, best first, and keeps of equal keys the one of the lowest index; returns how many remain.
template <class R>
std::size_t sort_unique(ranking<R> rank, R* values, std::int64_t* indices, std::size_t n) {
  sort_pairs(values, indices, n, by_rank<R>{rank});
  std::size_t unique = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (unique && rank(values[i]) == rank(values[unique - 1])) continue;
    values[unique] = values[i];
    indices[unique++] = indices[i];
  }
  return unique;
}

// Drops from `fresh` what equals something held; returns how many remain.
template <class R>
std::size_t drop_held(ranking<R> rank, piece<R> const& held, R* values, std::int64_t* indices,
                      std::size_t n) {
  std::size_t kept = 0;
  for (std::size_t i = 0, h = 0; i < n; ++i) {
    auto const key = rank(values[i]);
    while (h < held.size && rank(held.values[h]) > key) ++h;
    if (h < held.size && rank(held.values[h]) == key) continue;
    values[kept] = values[i];
    indices[kept++] = indices[i];
  }
  return kept;
}

// `held` and the n fresh ones are different keys, best first. Where both have a key, the held one
// has the lower index. They are merged from the back, so that what is held moves at most once.
template <class R>
std::optional<bits_of<R>> merge_distinct(ranking<R> rank, std::uint64_t k, output<R>& held,
                                         R* values, std::int64_t* indices, std::size_t n) {
  std::size_t left = held.size(), right = drop_held(rank, held.held(), values, indices, n);
  std::size_t at = std::size_t(std::min<std::uint64_t>(left + right, k));
  auto const left_is_worse = [&] {
    return left && (!right || rank(held.values()[left - 1]) < rank(values[right - 1]));
  };
  while (left + right > at) --(left_is_worse() ? left : right);
  held.resize(at);
  R* const to = held.values();
  std::int64_t* const to_index = held.indices();
  while (right) {
    --at;
    if (left_is_worse()) {
      to[at] = to[--left];
      to_index[at] = to_index[left];
    } else {
      to[at] = values[--right];
      to_index[at] = indices[right];
    }
  }
  if (held.size() < k) return std::nullopt;
  return rank(to[k - 1]);
}

}  // namespace tally::detail::top_k
