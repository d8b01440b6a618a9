// SPDX-License-Identifier: Apache-2.0
//
// The k best so far. What can still be among them collects in a buffer; when that is full, it and
// the held ones are cut down to k, and the bar for the next ones rises.
#pragma once

#include "bracket.hpp"
#include "held.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally::detail::top_k {

// Remembers some of the keys that have passed, to tell most repeats before they take room: one slot
// a hash, the last key wins. Keys of 16 bits or fewer have a slot each.
template <class Key>
class seen_keys {
 public:
  seen_keys() : slots_(std::size_t(1) << bits) { slots_[0] = 1; }  // no slot holds a key of its own

  // False if `key` is known to have been here before.
  TALLY_FN bool insert(Key key) {
    Key& slot = slots_[std::size_t(Key(key * multiplier) >> (8 * sizeof(Key) - bits))];
    if (slot == key) return false;
    slot = key;
    return true;
  }

 private:
  static constexpr int bits = sizeof(Key) <= 2 ? 8 * sizeof(Key) : 12;
  static constexpr Key multiplier = sizeof(Key) <= 2   ? Key(1)
                                    : sizeof(Key) == 4 ? Key(0x9e3779b1)
                                                       : Key(0x9e3779b97f4a7c15);
  std::vector<Key> slots_;
};

template <class R>
class running {
 public:
  // Up to k results are held in `out`: in ascending order of index, or, if `distinct`, best first.
  running(ranking<R> rank, std::uint64_t k, bool distinct, output<R> out, std::size_t room)
      : rank_(rank),
        k_(k),
        distinct_(distinct),
        held_(out),
        passing_{rank.lowest, ranking<R>::best},
        open_(k > 0) {
    make_room(room);
    if (distinct) seen_.emplace();
  }

  static constexpr std::size_t min_room = std::size_t(1) << 15;
  // The room of a buffer beside n elements.
  static std::size_t room_for(std::size_t n) {
    return memory_beside<R>(n) / (sizeof(R) + sizeof(std::int64_t));
  }

  output<R>& held() { return held_; }

  // in[0] has index `first`, higher than any before.
  void add(R const* in, std::size_t n, std::int64_t first, int threads) {
    if (n == 0 || !open_) return;
    if (n >= 65536) raise_bar(in, n);
    auto const from = split(in, n, first, k_ <= parallel_k ? threads : 1);
    if (from.size() == 1) return collect(from[0]);
    count_path(path::top_k_parallel);
    std::vector<top_k_result<R>> results(from.size());
    parallel_for(threads, from.size(), [&](std::size_t p) {
      running own(rank_, k_, distinct_, output<R>(results[p]), min_room);
      own.passing_ = passing_;
      own.collect(from[p]);
      own.flush();
    });
    for (auto& each : results) merge(each.values, each.indices);
  }

  // Takes over what another one held, whose indices may lie anywhere between these.
  template <class T>
  void merge(std::vector<T> const& values, std::vector<std::int64_t> const& indices) {
    flush();
    auto const own = held_.held();
    auto const* const theirs = reinterpret_cast<R const*>(values.data());
    std::vector<R> all(own.values, own.values + own.size);
    std::vector<std::int64_t> at(own.indices, own.indices + own.size);
    all.insert(all.end(), theirs, theirs + values.size());
    at.insert(at.end(), indices.begin(), indices.end());
    held_.resize(0);
    if (!distinct_) sort_pairs(all.data(), at.data(), all.size(), by_index{});
    join(all.data(), at.data(), all.size());
  }

  // Brings the buffer into what is held.
  TALLY_COLD void flush() {
    if (repeats_) count_path(path::top_k_seen, std::exchange(repeats_, 0));
    join(values_.get(), indices_.get(), std::exchange(fresh_, 0));
    std::size_t const room = room_for(held_.size());
    if (room >= 2 * room_) make_room(room);
  }

 private:
  using key_type = bits_of<R>;
  // Up to here every thread can hold its own k within its share of memory.
  static constexpr std::uint64_t parallel_k = std::size_t(1) << 14;

  void make_room(std::size_t room) {
    room_ = room;
    values_.reset();
    indices_.reset();
    values_ = std::make_unique_for_overwrite<R[]>(room);
    indices_ = std::make_unique_for_overwrite<std::int64_t[]>(room);
  }

  void join(R* values, std::int64_t* indices, std::size_t n) {
    if (n == 0) return;
    count_path(distinct_ ? path::top_k_distinct_merge : path::top_k_stream_compact);
    auto const worst = distinct_ ? merge_distinct(rank_, k_, held_, values, indices,
                                                  sort_unique(rank_, values, indices, n))
                                 : keep_best(rank_, k_, held_, {values, n, indices, 0});
    if (!worst) return;
    // What comes later and ties loses.
    open_ = *worst != ranking<R>::best;
    if (open_) passing_.low = std::max(passing_.low, key_type(*worst + 1));
  }

  // k (different) keys of a sample are at least as good as the k-th of the whole. Without this,
  // input in ascending order would pass the bar from end to end.
  void raise_bar(R const* in, std::size_t n) {
    auto keys = sample_keys(rank_, in, n, sample_size(n, 4), 1);
    std::sort(keys.begin(), keys.end(), std::greater<>());
    if (distinct_) keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (k_ <= keys.size()) passing_.low = std::max(passing_.low, keys[k_ - 1]);
  }

  void collect(piece<R> const& from) {
    run_vectorised([&](auto width) __attribute__((always_inline)) {
      auto const take = [&](std::size_t j) __attribute__((always_inline)) {
        R const value = from.values[j];
        if (distinct_ && !seen_->insert(rank_(value))) return ++repeats_, true;
        values_[fresh_] = value;
        indices_[fresh_] = from.first + std::int64_t(j);
        if (++fresh_ == room_) flush();
        return open_;
      };
      visit_inside<width>(rank_, from.values, from.size, passing_, take);
    });
  }

  ranking<R> rank_;
  std::uint64_t k_;
  bool distinct_;
  output<R> held_;
  std::unique_ptr<R[]> values_;
  std::unique_ptr<std::int64_t[]> indices_;
  std::size_t fresh_ = 0, room_ = 0;
  std::uint64_t repeats_ = 0;
  std::optional<seen_keys<key_type>> seen_;
  interval<key_type> passing_;  // the keys that can still be among the best
  bool open_;                   // no key can, if not
};

}  // namespace tally::detail::top_k
