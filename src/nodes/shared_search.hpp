// SPDX-License-Identifier: Apache-2.0
//
// The keys at ranks of an array that ranks share out, as rank_search.hpp finds them in one: samples
// of all slices bracket them, one read counts what is above each bracket and keeps what is in it,
// and few of these are told to all. Where samples mislead, histograms take their place. All ranks
// have the same answers.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "../cpu/top_k/bracket.hpp"
#include "../cpu/top_k/histogram.hpp"
#include "tally/nodes/slice.hpp"

namespace tally::detail::top_k {

// The key at a place, from 1, that of the best, on.
template <class R>
struct shared_key {
  bits_of<R> key;
  std::uint64_t ties;  // of the elements that have it, by index, which one is there
  counts mine;         // of this rank's elements: how many are above the key, how many have it
  pieces<R> from;      // where these are
  std::shared_ptr<void const> memory;
};

// What this rank has of the k best: the keys above the threshold and its ties, among `from`.
template <class R>
struct shared_best {
  threshold<bits_of<R>> t;
  pieces<R> from;
  std::shared_ptr<void const> memory;
};

// When a search goes on in which way.
struct search_limits {
  std::uint64_t few = std::uint64_t(1) << 16;  // so many keys are told to all
  std::uint64_t kept = 4;                      // of so many elements a rank keeps one
};

template <class R>
class shared_search {
 public:
  using key_type = bits_of<R>;

  // `from` are this rank's elements, which `memory` has, of n that all have.
  shared_search(communicator& ranks, ranking<R> rank, pieces<R> from, std::uint64_t n, int threads,
                search_limits limits = {}, std::shared_ptr<void const> memory = nullptr);

  // At these places, which ascend, the first of several first.
  std::vector<shared_key<R>> at(std::vector<std::uint64_t> const& places);
  // For k > 0: mostly they are kept by the read that counts.
  shared_best<R> best(std::uint64_t k);

 private:
  using range = interval<key_type>;
  // Ranges that hold the keys of some places: the best first, apart from one another.
  struct plan {
    std::vector<range> ranges;
    std::size_t places = 0;  // how many of those asked for
  };
  // What was found of a range here, and how many keys all have above it and in it.
  struct range_found {
    range keys;
    std::shared_ptr<gathered<R>> here;
    counts all;
    bool complete;

    bool holds(std::uint64_t place) const {
      return all.above < place && place <= all.above + all.inside &&
             (keys.low == keys.high || complete);
    }
  };

  void take_sample();
  std::optional<range_found> keep_best(std::uint64_t k) const;
  shared_best<R> best_by_key(std::uint64_t k);
  range bracket_at(std::uint64_t place) const;
  plan plan_for(std::span<std::uint64_t const> places) const;
  std::vector<range_found> count(std::vector<range> const& ranges) const;
  using places_of = std::span<std::uint64_t const>;
  using keys_of_places = std::vector<shared_key<R>>;
  void settle(range_found const& in, places_of places, keys_of_places& found) const;
  void settle_among_kept(range_found const& in, places_of places, keys_of_places& found) const;
  void settle_few(range_found const& in, places_of places, keys_of_places& found) const;
  shared_key<R> by_histograms(std::uint64_t place) const;

  communicator& ranks_;
  ranking<R> rank_;
  pieces<R> from_;
  std::uint64_t n_, mine_ = 0;
  int threads_;
  search_limits limits_;
  std::shared_ptr<void const> memory_;
  std::vector<key_type> sample_;  // of all, the best first
};

template <class T>
pieces<represent<T>> pieces_of(slice_here<T> const& mine) {
  return split(reinterpret_cast<represent<T> const*>(mine.elements.data()), mine.elements.size(), 0,
               thread_count(mine.cores));
}
template <class T>
shared_search<represent<T>> search_slices(communicator& ranks, slice_here<T> const& mine,
                                          std::uint64_t n, top_k_options const& options,
                                          search_limits limits = {}) {
  auto const rank = ranking<represent<T>>::of(std::type_identity<T>{}, options);
  return {ranks, rank, pieces_of(mine), n, thread_count(mine.cores), limits};
}

}  // namespace tally::detail::top_k
