// SPDX-License-Identifier: Apache-2.0
//
// One read of the input that counts the keys above an interval and keeps the few that are in it.
#pragma once

#include <atomic>
#include <memory>

#include "emit.hpp"

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

// How many chunks a call on n elements may fill: an eighth of the input's bytes, or a megabyte.
template <class R>
std::int64_t chunk_budget(std::size_t n) {
  std::size_t const bytes = std::max(n / 8 * sizeof(R), std::size_t(1) << 20);
  return std::int64_t(bytes / sizeof(chunk<R>));
}

template <class R>
struct gathered {
  std::uint64_t above = 0, inside = 0;
  chunks<R> kept;         // in ascending order of index
  bool complete = false;  // no: the budget did not suffice, and nothing here means anything

  pieces<R> as_pieces() const {
    pieces<R> result;
    for (auto const& c : kept) result.push_back({c->values, c->size, c->indices, 0});
    return result;
  }
};

// Counts, and keeps what is inside unless `keep` is false; false when the budget is spent.
template <class R>
bool gather_piece(ranking<R> rank, piece<R> const& from, interval<bits_of<R>> range, bool keep,
                  std::atomic<std::int64_t>& budget, gathered<R>& result) {
  auto const grow = [&]() __attribute__((noinline)) {
    if (budget.fetch_sub(1, std::memory_order_relaxed) <= 0) return false;
    result.kept.push_back(std::make_unique_for_overwrite<chunk<R>>());
    result.kept.back()->size = 0;
    return true;
  };
  bool complete = true;
  run_vectorised([&]() __attribute__((always_inline)) {
    std::uint8_t flags[block_size];
    chunk<R>* to = nullptr;
    std::uint64_t above = 0, inside = 0;
    for (std::size_t i = 0; i < from.size; i += block_size) {
      R const* const x = from.values + i;
      std::size_t const length = std::min(block_size, from.size - i);
      auto const c = count_block(rank, x, length, range);
      above += c.above;
      inside += c.inside;
      if (c.inside == 0 || !keep) continue;
      if (!to || to->size + block_size > to->capacity) {
        if (!(complete = grow())) return;
        to = result.kept.back().get();
      }
      std::size_t size = to->size;
      flag_block(rank, x, length, range, flags);
      for_flagged(flags, [&](std::size_t j) __attribute__((always_inline)) {
        to->values[size] = x[j];
        to->indices[size++] = from.first + std::int64_t(i + j);
      });
      to->size = size;
    }
    result.above = above;
    result.inside = inside;
  });
  return complete;
}

template <class R>
gathered<R> gather(ranking<R> rank, pieces<R> const& from, interval<bits_of<R>> range,
                   std::int64_t chunks_allowed, int threads) {
  bool const keep = range.low != range.high;  // equal keys need no telling apart
  std::atomic<std::int64_t> budget = chunks_allowed;
  std::atomic<bool> complete = true;
  std::vector<gathered<R>> parts(from.size());
  parallel_for(threads, from.size(), [&](std::size_t p) {
    if (!complete || !gather_piece(rank, from[p], range, keep, budget, parts[p])) complete = false;
  });
  gathered<R> result;
  result.complete = complete;
  for (auto& part : parts) {
    result.above += part.above;
    result.inside += part.inside;
    std::move(part.kept.begin(), part.kept.end(), std::back_inserter(result.kept));
  }
  return result;
}

}  // namespace tally::detail::top_k
