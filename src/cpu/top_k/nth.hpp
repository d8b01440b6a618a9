// SPDX-License-Identifier: Apache-2.0
//
// The elements at single ranks, 1 that of the best: none of those before them is written anywhere.
#pragma once

#include <utility>

#include "rank_search.hpp"

namespace tally::detail::top_k {

template <class R>
struct ranked_element {
  R value;
  std::int64_t index;
};

// Of ties, the `ties`-th by index; there are as many.
template <class R>
ranked_element<R> locate(ranking<R> rank, pieces<R> const& from, threshold<bits_of<R>> t,
                         std::vector<counts> const& found) {
  std::size_t p = 0;
  for (; found[p].inside < t.ties; ++p) t.ties -= found[p].inside;
  piece<R> const& x = from[p];
  std::size_t at = 0;
  run_vectorised([&](auto width) __attribute__((always_inline)) {
    visit_inside<width>(rank, x.values, x.size, {t.key, t.key},
                        [&](std::size_t j) __attribute__((always_inline)) {
                          at = j;
                          return --t.ties > 0;
                        });
  });
  return {x.values[at], index_of(x, at)};
}

template <class R>
class nth {
 public:
  using key_type = bits_of<R>;

  nth(ranking<R> rank, R const* in, std::size_t n, int threads) : all_(rank, in, n, threads) {}

  ranked_element<R> element_at(std::uint64_t k) const {
    auto const near = around(k, k);
    auto const t = all_.select(near);
    return locate(all_.rank(), near.from, t,
                  count_each(all_.rank(), near.from, t.key, all_.threads()));
  }

  // The keys at two ranks, of which the second is the first's or the next one.
  std::pair<key_type, key_type> keys_at(std::uint64_t first, std::uint64_t last) const {
    auto near = around(first, last);
    auto const key = all_.select(near).key;
    if (first == last) return {key, key};
    if (near.s.rank + (last - first) > near.s.inside) return {key, keys_at(last, last).first};
    near.s.rank += last - first;
    return {key, all_.select(near).key};
  }

 private:
  // The second rank may be beyond what histograms have found for the first.
  candidates<R> around(std::uint64_t first, std::uint64_t last) const {
    if (all_.is_short()) {
      count_path(path::top_k_direct);
      return {all_.input(), all_.everything(first)};
    }
    auto band = all_.by_sample(first, last, false);
    if (!band) return all_.by_histograms(first);
    auto const& [range, found] = *band;
    search<key_type> const s{range, first - found.above, found.inside};
    bool const one_key = range.low == range.high;
    count_path(one_key ? path::top_k_ties : path::top_k_filter);
    if (one_key) return {all_.input(), s};
    auto kept = found.as_pieces();
    return {std::move(kept), s, std::move(band->found)};
  }

  rank_search<R> all_;
};

}  // namespace tally::detail::top_k
