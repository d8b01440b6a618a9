// SPDX-License-Identifier: Apache-2.0
//
// The k best of one array, as Floyd and Rivest select (bracket.hpp): a sample brackets the k-th
// key, one read gathers what is in the bracket, the counts prove it right, and a radix selection in
// it is exact. Where ties overflow the bracket, or the sample misleads, histograms of the input
// take its place.
#pragma once

#include "bracket.hpp"
#include "histogram.hpp"
#include "sort_pairs.hpp"
#include "sort_stably.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally::detail::top_k {

template <class R>
class whole {
 public:
  whole(ranking<R> rank, R const* in, std::size_t n, std::uint64_t k, int threads, output<R>& out)
      : rank_(rank),
        in_(in),
        n_(n),
        k_(k),
        threads_(n < parallel_from ? 1 : threads),
        input_(split(in, n, 0, threads_)),
        out_(out) {}

  void run(bool sorted) {
    if (k_ == 0) return;
    if (n_ < sample_from) {
      count_path(path::top_k_direct);
      finish(input_, select(rank_, input_, everything(), threads_));
    } else if (!by_sample()) {
      count_path(path::top_k_radix);
      by_histograms();
    }
    if (sorted) sort();
  }

 private:
  using key_type = bits_of<R>;
  // Results stand by index, so a stable sort will do, if there is room for it.
  void sort() {
    std::size_t const size = out_.size();
    if (size < 1024 || stable_sort<R>::bytes(size) > std::size_t(budget()) * sizeof(chunk<R>))
      return sort_pairs(out_.values(), out_.indices(), size, by_rank<R>{rank_});
    stable_sort<R>(rank_, size, threads_).run(out_.values(), out_.indices());
  }

  static constexpr std::size_t sample_from = 2048, parallel_from = 65536;

  search<key_type> everything() const { return {{0, ranking<R>::best}, k_, n_}; }
  std::int64_t budget() const { return chunk_budget<R>(n_); }
  std::uint64_t room() const { return std::uint64_t(budget()) * chunk<R>::capacity; }

  gathered<R> gather(interval<key_type> range) const {
    std::int64_t const not_full = std::int64_t(input_.size());  // each piece's last chunk
    return top_k::gather(rank_, input_, range, budget() + not_full, threads_);
  }

  // While the bracket holds more than there is room for, some key in it must be common: counting
  // what is above and equal to the sample's median there settles it or cuts the bracket.
  bool by_sample() {
    auto [range, sample] = bracket_of(rank_, in_, n_, k_, k_ <= room() / 4 * 3, threads_);
    double const weight = double(n_) / double(sample.size());
    while (range.low <= range.high) {
      sample = within(sample, range);
      bool const fits = double(sample.size() + 1) * weight <= double(room());
      key_type const middle = fits ? key_type(0) : median(sample);
      interval<key_type> const tried = fits ? range : interval<key_type>{middle, middle};
      auto const found = gather(tried);
      if (!found.complete) break;
      if (found.above < k_ && k_ <= found.above + found.inside) {
        settle(tried, found);
        return true;
      }
      if (fits) break;
      if (found.above >= k_)
        range.low = key_type(middle + 1);
      else
        range.high = key_type(middle - 1);
    }
    count_path(path::top_k_filter_retry);
    return false;
  }

  void settle(interval<key_type> range, gathered<R> const& found) {
    threshold<key_type> const one_key = {range.low, k_ - found.above};
    if (range.low == range.high) {
      count_path(path::top_k_ties);
      return take(input_, one_key, found.by_piece);
    }
    count_path(found.above ? path::top_k_band : path::top_k_filter);
    auto const kept = found.as_pieces();
    auto const t = select(rank_, kept, {range, k_ - found.above, found.inside}, threads_);
    if (found.above == 0) return finish(kept, t);
    take(input_, t, found.count_read(rank_, input_, t.key, threads_));
  }

  void by_histograms() {
    auto s = everything();
    do s = narrow(rank_, input_, s, threads_);
    while (s.range.low != s.range.high && s.inside > room());
    if (s.range.low == s.range.high) return finish(input_, {s.range.low, s.rank});
    count_path(path::top_k_radix_gather);
    auto const bin = gather(s.range);
    finish(input_, select(rank_, bin.as_pieces(), s, threads_));
  }

  void finish(pieces<R> const& from, threshold<key_type> t) {
    take(from, t, count_each(rank_, from, t.key, threads_));
  }
  void take(pieces<R> const& from, threshold<key_type> t, std::vector<counts> const& found) {
    auto const all = shares(found, if_not_skipped(t));
    out_.resize(total_size(all));
    emit(rank_, from, all, t.key, out_.values(), out_.indices(), threads_);
  }
  threshold<key_type> if_not_skipped(threshold<key_type> t) const {
    return t.key < rank_.lowest ? threshold<key_type>{t.key, 0} : t;
  }

  ranking<R> rank_;
  R const* in_;
  std::size_t n_;
  std::uint64_t k_;
  int threads_;
  pieces<R> input_;
  output<R>& out_;
};

}  // namespace tally::detail::top_k
