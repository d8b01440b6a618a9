// SPDX-License-Identifier: Apache-2.0
//
// Narrows an array down to the few elements around a rank, as Floyd and Rivest select
// (bracket.hpp): a sample brackets the key, one read gathers what is in the bracket, and the counts
// prove it right. Where ties overflow the bracket, or the sample misleads, histograms of the input
// take its place.
#pragma once

#include <optional>

#include "bracket.hpp"
#include "histogram.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally::detail::top_k {

// What was gathered of the keys in `range`; nothing but counts where that is one key.
template <class R>
struct band {
  interval<bits_of<R>> range;
  gathered<R> found;
};

// Elements among which a search ends; `memory` has them unless they are the array's own.
template <class R>
struct candidates {
  pieces<R> from;
  search<bits_of<R>> s;
  gathered<R> memory = {};
};

template <class R>
class rank_search {
 public:
  using key_type = bits_of<R>;
  static constexpr std::size_t sample_from = 2048;

  rank_search(ranking<R> rank, R const* in, std::size_t n, int threads)
      : rank_(rank),
        in_(in),
        n_(n),
        threads_(n < parallel_from ? 1 : threads),
        input_(split(in, n, 0, threads_)) {}

  ranking<R> rank() const { return rank_; }
  int threads() const { return threads_; }
  bool is_short() const { return n_ < sample_from; }
  pieces<R> const& input() const { return input_; }
  search<key_type> everything(std::uint64_t k) const { return {{0, ranking<R>::best}, k, n_}; }

  std::int64_t budget() const { return chunk_budget<R>(n_); }
  std::uint64_t room() const { return std::uint64_t(budget()) * chunk<R>::capacity; }

  // A band that holds the keys at the ranks `first` to `last`, which are few, or nothing. If
  // `open`, its upper end is that of all keys. While the bracket holds more than there is room for,
  // some key in it must be common: counting what is above and equal to the sample's median there
  // settles it or cuts the bracket.
  std::optional<band<R>> by_sample(std::uint64_t first, std::uint64_t last, bool open) const {
    auto [range, sample] = bracket_of(rank_, in_, n_, first, open, threads_);
    double const weight = double(n_) / double(sample.size());
    while (range.low <= range.high) {
      sample = within(sample, range);
      bool const fits = double(sample.size() + 1) * weight <= double(room());
      key_type const middle = fits ? key_type(0) : median(sample);
      interval<key_type> const tried = fits ? range : interval<key_type>{middle, middle};
      auto found = gather(tried);
      if (!found.complete) break;
      if (found.above < first && last <= found.above + found.inside)
        return band<R>{tried, std::move(found)};
      if (fits) break;
      if (found.above >= first)
        range.low = key_type(middle + 1);
      else
        range.high = key_type(middle - 1);
    }
    count_path(path::top_k_filter_retry);
    return std::nullopt;
  }

  candidates<R> by_histograms(std::uint64_t k) const {
    count_path(path::top_k_radix);
    auto s = everything(k);
    do s = narrow(rank_, input_, s, threads_);
    while (s.range.low != s.range.high && s.inside > room());
    if (s.range.low == s.range.high) return {input_, s};
    count_path(path::top_k_radix_gather);
    auto bin = gather(s.range);
    auto kept = bin.as_pieces();
    return {std::move(kept), s, std::move(bin)};
  }

  threshold<key_type> select(candidates<R> const& all) const {
    return top_k::select(rank_, all.from, all.s, threads_);
  }

 private:
  gathered<R> gather(interval<key_type> range) const {
    std::int64_t const not_full = std::int64_t(input_.size());  // each piece's last chunk
    return top_k::gather(rank_, input_, range, budget() + not_full, threads_);
  }

  ranking<R> rank_;
  R const* in_;
  std::size_t n_;
  int threads_;
  pieces<R> input_;
};

}  // namespace tally::detail::top_k
