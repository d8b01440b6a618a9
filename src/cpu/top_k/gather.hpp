// SPDX-License-Identifier: Apache-2.0
//
// One read of the input that counts the keys above an interval and keeps the few that are in it.
#pragma once

#include <atomic>
#include <memory>

#include "emit.hpp"
#include "tally/cpu/tile/prefetch.hpp"

namespace tally::detail::top_k {

// Kept elements come in chunks, so that threads share one budget and nothing is ever moved.
template <class R>
struct chunk {
  static constexpr std::size_t capacity = 4096;
  R values[capacity];
  std::int64_t indices[capacity];
  std::size_t size;
};

template <class R>
using chunks = std::vector<std::unique_ptr<chunk<R>>>;

// How much memory a call on n elements may take: an eighth of theirs, and not more than fits beside
// others where they are a large file.
template <class R>
std::size_t memory_beside(std::size_t n) {
  return std::min(n / 8 * sizeof(R), std::size_t(640) << 20);
}

// How many chunks it may fill: that, or a megabyte.
template <class R>
std::int64_t chunk_budget(std::size_t n) {
  std::size_t const bytes = std::max(memory_beside<R>(n), std::size_t(1) << 20);
  return std::int64_t(bytes / sizeof(chunk<R>));
}

template <class R>
struct gathered {
  std::uint64_t above = 0, inside = 0;
  chunks<R> kept;         // in ascending order of index
  bool complete = false;  // no: the budget did not suffice, and nothing here means anything
  std::vector<counts> by_piece;

  pieces<R> as_pieces() const {
    pieces<R> result;
    for (auto const& c : kept) result.push_back({c->values, c->size, c->indices, 0});
    return result;
  }
  // What count_each() says of the pieces that were read, for a key of the interval, without another
  // read: what is above the key was kept, or counted.
  std::vector<counts> count_read(ranking<R> rank, pieces<R> const& read, bits_of<R> key,
                                 int threads) const {
    std::vector<counts> result;
    for (auto const& c : by_piece) result.push_back({c.above, 0});
    auto const more = count_each(rank, as_pieces(), key, threads);
    std::size_t p = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      while (p + 1 < read.size() && kept[i]->indices[0] >= read[p + 1].first) ++p;
      result[p].above += more[i].above;
      result[p].inside += more[i].inside;
    }
    return result;
  }
};

// What was found in pieces that follow one another.
template <class R>
gathered<R> joined(std::vector<gathered<R>>& found, bool complete) {
  gathered<R> result;
  result.complete = complete;
  for (auto& each : found) {
    result.by_piece.push_back({each.above, each.inside});
    result.above += each.above;
    result.inside += each.inside;
    std::move(each.kept.begin(), each.kept.end(), std::back_inserter(result.kept));
  }
  return result;
}

// How many elements are read at once, and then again from the nearest cache.
template <class R>
inline constexpr std::size_t slice = 1024 / sizeof(R);

// Counts what is above the range, and keeps what is inside, behind what was found before; false
// when the budget is spent.
template <class R>
bool gather_piece(ranking<R> rank, piece<R> const& from, interval<bits_of<R>> range,
                  std::atomic<std::int64_t>& budget, gathered<R>& result) {
  bool complete = true;
  chunk<R>* to = result.kept.empty() ? nullptr : result.kept.back().get();
  auto const grow = [&]() __attribute__((noinline)) {
    if (budget.fetch_sub(1, std::memory_order_relaxed) <= 0) return false;
    to = result.kept.emplace_back(std::make_unique_for_overwrite<chunk<R>>()).get();
    to->size = 0;
    return true;
  };
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < from.size && complete; i += slice<R>) {
      R const* const x = from.values + i;
      std::size_t const length = std::min(slice<R>, from.size - i);
      fetch_ahead(x, length * sizeof(R));
      if (range.high != ranking<R>::best) result.above += count_all(rank, x, length, range).above;
      auto const keep = [&](std::size_t j) __attribute__((always_inline)) {
        if ((!to || to->size == to->capacity) && !grow()) return false;
        to->values[to->size] = x[j];
        to->indices[to->size++] = index_of(from, i + j);
        ++result.inside;
        return true;
      };
      complete = visit_inside<width>(rank, x, length, range, keep);
    }
  });
  return complete;
}

// Where all keys in the range are equal, counting them is enough.
template <class R>
bool count_piece(ranking<R> rank, piece<R> const& from, interval<bits_of<R>> range,
                 gathered<R>& result) {
  run_vectorised([&](auto) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < from.size; i += slice<R>) {
      std::size_t const length = std::min(slice<R>, from.size - i);
      fetch_ahead(from.values + i, length * sizeof(R));
      auto const c = count_all(rank, from.values + i, length, range);
      result.above += c.above;
      result.inside += c.inside;
    }
  });
  return true;
}

template <class R>
bool gather_or_count(ranking<R> rank, piece<R> const& from, interval<bits_of<R>> range,
                     std::atomic<std::int64_t>& budget, gathered<R>& result) {
  return range.low == range.high ? count_piece(rank, from, range, result)
                                 : gather_piece(rank, from, range, budget, result);
}

template <class R>
gathered<R> gather(ranking<R> rank, pieces<R> const& from, interval<bits_of<R>> range,
                   std::int64_t chunks_allowed, int threads) {
  std::atomic<std::int64_t> budget = chunks_allowed;
  std::atomic<bool> complete = true;
  std::vector<gathered<R>> found(from.size());
  parallel_for(threads, from.size(), [&](std::size_t p) {
    if (!gather_or_count(rank, from[p], range, budget, found[p])) complete = false;
  });
  return joined(found, complete);
}

// The same for several ranges, in one read: what was found of each.
template <class R>
std::vector<gathered<R>> gather_each(ranking<R> rank, pieces<R> const& from,
                                     std::vector<interval<bits_of<R>>> const& ranges,
                                     std::int64_t chunks_allowed, int threads) {
  constexpr std::size_t at_once = 16384 / sizeof(R);  // stays in the nearest cache
  std::atomic<std::int64_t> budget = chunks_allowed;
  std::atomic<bool> complete = true;
  std::vector<std::vector<gathered<R>>> found(ranges.size());
  for (auto& each : found) each.resize(from.size());
  parallel_for(threads, from.size(), [&](std::size_t p) {
    for (std::size_t i = 0; i < from[p].size; i += at_once)
      for (std::size_t r = 0; r < ranges.size(); ++r)
        if (!gather_or_count(rank, part(from[p], i, at_once), ranges[r], budget, found[r][p]))
          complete = false;
  });
  std::vector<gathered<R>> all;
  for (auto& each : found) all.push_back(joined(each, complete));
  return all;
}

}  // namespace tally::detail::top_k
