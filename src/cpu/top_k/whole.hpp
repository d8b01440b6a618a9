// SPDX-License-Identifier: Apache-2.0
//
// The k best of one array: a search narrows it down to what is around the k-th (rank_search.hpp),
// and a radix selection there is exact.
#pragma once

#include "rank_search.hpp"
#include "sort_pairs.hpp"
#include "sort_stably.hpp"

namespace tally::detail::top_k {

template <class R>
class whole {
 public:
  whole(ranking<R> rank, R const* in, std::size_t n, std::uint64_t k, int threads, output<R>& out)
      : rank_(rank), k_(k), all_(rank, in, n, threads), out_(out) {}

  void run(bool sorted) {
    if (k_ == 0) return;
    if (all_.is_short()) {
      count_path(path::top_k_direct);
      finish(all_.input(), all_.select({all_.input(), all_.everything(k_)}));
    } else if (!by_sample()) {
      finish(all_.input(), all_.select(all_.by_histograms(k_)));
    }
    if (sorted) sort();
  }

 private:
  using key_type = bits_of<R>;
  // Results stand by index, so a stable sort will do, if there is room for it.
  void sort() {
    std::size_t const size = out_.size();
    if (size < 1024 || stable_sort<R>::bytes(size) > std::size_t(all_.budget()) * sizeof(chunk<R>))
      return sort_pairs(out_.values(), out_.indices(), size, by_rank<R>{rank_});
    stable_sort<R>(rank_, size, all_.threads()).run(out_.values(), out_.indices());
  }

  bool by_sample() {
    auto const band = all_.by_sample(k_, k_, k_ <= all_.room() / 4 * 3);
    if (band) settle(band->range, band->found);
    return band.has_value();
  }

  void settle(interval<key_type> range, gathered<R> const& found) {
    threshold<key_type> const one_key = {range.low, k_ - found.above};
    if (range.low == range.high) {
      count_path(path::top_k_ties);
      return take(all_.input(), one_key, found.by_piece);
    }
    count_path(found.above ? path::top_k_band : path::top_k_filter);
    candidates<R> const kept{found.as_pieces(), {range, k_ - found.above, found.inside}};
    auto const t = all_.select(kept);
    if (found.above == 0) return finish(kept.from, t);
    take(all_.input(), t, found.count_read(rank_, all_.input(), t.key, all_.threads()));
  }

  void finish(pieces<R> const& from, threshold<key_type> t) {
    take(from, t, count_each(rank_, from, t.key, all_.threads()));
  }
  void take(pieces<R> const& from, threshold<key_type> t, std::vector<counts> const& found) {
    auto const all = shares(found, if_not_skipped(t));
    out_.resize(total_size(all));
    emit(rank_, from, all, t.key, out_.values(), out_.indices(), all_.threads());
  }
  threshold<key_type> if_not_skipped(threshold<key_type> t) const {
    return t.key < rank_.lowest ? threshold<key_type>{t.key, 0} : t;
  }

  ranking<R> rank_;
  std::uint64_t k_;
  rank_search<R> all_;
  output<R>& out_;
};

}  // namespace tally::detail::top_k
