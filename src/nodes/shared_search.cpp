// SPDX-License-Identifier: Apache-2.0
#include "shared_search.hpp"

#include <functional>

#include "../cpu/top_k/searches.hpp"
#include "tally/nodes/told.hpp"

namespace tally::detail::top_k {

TALLY_SEARCHES(extern)

namespace {

template <class R>
std::uint64_t total_size(pieces<R> const& from) {
  std::uint64_t n = 0;
  for (auto const& p : from) n += p.size;
  return n;
}

template <class Key>
void sort_best_first(std::vector<Key>& keys) {
  std::sort(keys.begin(), keys.end(), std::greater<>());
}

// The keys of all, best first, of which each rank's come so.
template <class Key>
std::vector<Key> merged(bytes_of_ranks const& told) {
  std::vector<Key> all;
  for (auto const& bytes : told) {
    auto const middle = std::ptrdiff_t(all.size());
    auto const one = values_in<Key>(bytes);
    all.insert(all.end(), one.begin(), one.end());
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(), std::greater<>());
  }
  return all;
}

// How many keys are above `key`, and how many are it, where the best come first.
template <class Key>
counts counts_of(std::vector<Key> const& keys, Key key) {
  auto const [first, last] = std::equal_range(keys.begin(), keys.end(), key, std::greater<>());
  return {std::uint64_t(first - keys.begin()), std::uint64_t(last - first)};
}

// The keys of `samples` elements, evenly spread.
template <class R>
std::vector<bits_of<R>> sample_pieces(ranking<R> rank, pieces<R> const& from, std::uint64_t n,
                                      std::uint64_t samples, int threads) {
  std::vector<std::uint64_t> begins;
  std::uint64_t begin = 0;
  for (auto const& p : from) begins.push_back(begin), begin += p.size;
  std::vector<bits_of<R>> keys(samples);
  if (samples == 0) return keys;
  strata const places(n, samples);
  std::size_t const share = 4096;
  parallel_for(threads, (samples + share - 1) / share, [&](std::size_t task) {
    for (std::size_t i = task * share; i < std::min<std::size_t>(samples, (task + 1) * share);
         ++i) {
      auto const at = places.sample(i);
      auto const p = std::size_t(std::ranges::upper_bound(begins, at) - begins.begin()) - 1;
      keys[i] = rank(from[p].values[at - begins[p]]);
    }
  });
  return keys;
}

// Keys of a sample so many of which are equal are counted, not kept.
std::uint64_t many_of(std::size_t samples) {
  return std::max<std::uint64_t>(8, std::uint64_t(std::sqrt(double(samples))));
}

// Calls f(key, how many) for each key of a range that a sample, best first, has.
template <class Key, class F>
void for_keys(std::vector<Key> const& sample, interval<Key> range, F const& f) {
  auto at = std::ranges::lower_bound(sample, range.high, std::greater<>());
  while (at != sample.end() && *at >= range.low) {
    auto const end = std::find_if(at, sample.end(), [&](Key key) { return key != *at; });
    f(*at, std::uint64_t(end - at));
    at = end;
  }
}

// How many of a sample are in a range without those that are many.
template <class Key>
std::uint64_t kept_of(std::vector<Key> const& sample, interval<Key> range) {
  std::uint64_t kept = 0;
  for_keys(sample, range,
           [&](Key, std::uint64_t n) { kept += n < many_of(sample.size()) ? n : 0; });
  return kept;
}

// Cuts a range at keys that are many, each of which becomes one of its own.
template <class Key>
void cut_at_many(std::vector<Key> const& sample, interval<Key> range,
                 std::vector<interval<Key>>& to) {
  bool open = true;
  for_keys(sample, range, [&](Key key, std::uint64_t n) {
    if (n < many_of(sample.size())) return;
    if (key < range.high) to.push_back({Key(key + 1), range.high});
    to.push_back({key, key});
    open = key > range.low;
    range.high = Key(key - open);
  });
  if (open) to.push_back(range);
}

}  // namespace

template <class R>
shared_search<R>::shared_search(communicator& ranks, ranking<R> rank, pieces<R> from,
                                std::uint64_t n, int threads, search_limits limits,
                                std::shared_ptr<void const> memory)
    : ranks_(ranks),
      rank_(rank),
      from_(std::move(from)),
      n_(n),
      mine_(total_size(from_)),
      threads_(threads),
      limits_(limits),
      memory_(std::move(memory)) {}

template <class R>
void shared_search<R>::take_sample() {
  if (n_ <= limits_.few || !sample_.empty()) return;
  auto const all = std::min(bracket_samples(n_), std::uint64_t(1) << 21);  // goes to every rank
  sample_ = merged<key_type>(all_gather_result(ranks_, [&] {
    auto const share = std::uint64_t(std::ceil(double(all) * (double(mine_) / double(n_))));
    auto keys = sample_pieces(rank_, from_, mine_, std::min(share, mine_), threads_);
    sort_best_first(keys);
    return bytes_of_values(keys);
  }));
}

// Five standard deviations to either side of where the place is expected, as bracket_of().
template <class R>
auto shared_search<R>::bracket_at(std::uint64_t place) const -> range {
  double const m = double(sample_.size()), mean = m * (double(place) / double(n_));
  double const margin = 8 + 5 * std::sqrt(mean * std::max(0.0, 1 - mean / m));
  range found = {0, ranking<R>::best};
  if (mean + margin < m) found.low = sample_[std::size_t(mean + margin)];
  if (mean - margin >= 0) found.high = sample_[std::size_t(mean - margin)];
  return found;
}

template <class R>
auto shared_search<R>::plan_for(std::span<std::uint64_t const> places) const -> plan {
  if (sample_.empty()) return {{{0, ranking<R>::best}}, places.size()};
  std::vector<range> brackets;
  std::uint64_t kept = 0;
  plan found;
  for (; found.places < places.size(); ++found.places) {
    auto const next = bracket_at(places[found.places]);
    kept += kept_of(sample_, next);
    if (!brackets.empty() && kept > sample_.size() / 16) break;
    if (!brackets.empty() && next.high >= brackets.back().low)
      brackets.back().low = std::min(brackets.back().low, next.low);
    else
      brackets.push_back(next);
  }
  for (auto const& b : brackets) cut_at_many(sample_, b, found.ranges);
  return found;
}

template <class R>
auto shared_search<R>::count(std::vector<range> const& ranges) const -> std::vector<range_found> {
  std::vector<range_found> found;
  auto const all_counts = numbers_of_ranks(ranks_, [&] {
    auto const most = (std::uint64_t(640) << 20) / sizeof(chunk<R>) * chunk<R>::capacity;
    auto const room = std::max(std::min(mine_ / limits_.kept, most), limits_.few);
    auto const chunks = std::int64_t(room / chunk<R>::capacity);
    auto const not_full = std::int64_t(from_.size() * ranges.size());
    auto all = gather_each(rank_, from_, ranges, chunks + not_full, threads_);
    std::vector<std::uint64_t> mine;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      mine.insert(mine.end(), {all[i].above, all[i].inside, all[i].complete});
      found.push_back({ranges[i], std::make_shared<gathered<R>>(std::move(all[i])), {}, true});
    }
    return mine;
  });
  for (auto const& counted : all_counts)
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].all.above += counted[3 * i];
      found[i].all.inside += counted[3 * i + 1];
      found[i].complete &= counted[3 * i + 2] != 0;
    }
  return found;
}

template <class R>
auto shared_search<R>::at(std::vector<std::uint64_t> const& places) -> keys_of_places {
  take_sample();
  keys_of_places found;
  for (std::size_t first = 0; first < places.size();) {
    auto const planned = plan_for(std::span(places).subspan(first));
    auto const ranges = count(planned.ranges);
    for (auto const end = first + planned.places; first < end;) {
      auto const in = std::ranges::find_if(
          ranges, [&](range_found const& r) { return r.holds(places[first]); });
      if (in == ranges.end()) {
        found.push_back(by_histograms(places[first++]));
        continue;
      }
      auto next = first;
      while (next < end && in->holds(places[next])) ++next;
      settle(*in, std::span(places).subspan(first, next - first), found);
      first = next;
    }
  }
  return found;
}

template <class R>
void shared_search<R>::settle(range_found const& in, places_of places,
                              keys_of_places& found) const {
  if (in.keys.low != in.keys.high)
    return in.all.inside <= limits_.few ? settle_few(in, places, found)
                                        : settle_among_kept(in, places, found);
  count_path(path::top_k_ties);
  for (auto const place : places)
    found.push_back(
        {in.keys.low, place - in.all.above, {in.here->above, in.here->inside}, from_, memory_});
}

template <class R>
void shared_search<R>::settle_among_kept(range_found const& in, places_of places,
                                         keys_of_places& found) const {
  count_path(path::top_k_band);
  std::vector<std::uint64_t> inside;
  for (auto const place : places) inside.push_back(place - in.all.above);
  shared_search among(ranks_, rank_, in.here->as_pieces(), in.all.inside, threads_, limits_,
                      in.here);
  for (auto& one : among.at(inside)) {
    one.mine.above += in.here->above;
    found.push_back(std::move(one));
  }
}

template <class R>
void shared_search<R>::settle_few(range_found const& in, places_of places,
                                  keys_of_places& found) const {
  count_path(path::top_k_filter);
  std::vector<key_type> mine;
  auto const all = merged<key_type>(all_gather_result(ranks_, [&] {
    for (auto const& c : in.here->kept)
      for (std::size_t i = 0; i < c->size; ++i) mine.push_back(rank_(c->values[i]));
    sort_best_first(mine);
    return bytes_of_values(mine);
  }));
  for (auto const place : places) {
    auto const at = place - in.all.above;
    auto const key = all[std::size_t(at - 1)];
    auto const own = counts_of(mine, key);
    found.push_back({key,
                     at - counts_of(all, key).above,
                     {in.here->above + own.above, own.inside},
                     in.here->as_pieces(),
                     in.here});
  }
}

template <class R>
shared_key<R> shared_search<R>::by_histograms(std::uint64_t place) const {
  count_path(path::top_k_radix);
  search<key_type> s{{0, ranking<R>::best}, place, n_};
  while (s.range.low != s.range.high) {
    cut const c(s);
    auto bins = count_bins(rank_, from_, s.range, c, threads_);
    ranks_.all_reduce(bins);
    s = narrowed(s, c, bins);
  }
  counts mine = {};
  for (auto const& c : count_each(rank_, from_, s.range.low, threads_))
    mine.above += c.above, mine.inside += c.inside;
  return {s.range.low, s.rank, mine, from_, memory_};
}

// All keys from where the k-th is expected on, if they are few enough.
template <class R>
auto shared_search<R>::keep_best(std::uint64_t k) const -> std::optional<range_found> {
  if (sample_.empty()) return std::nullopt;
  auto const low = bracket_at(k).low;
  auto const [above, equal] = counts_of(sample_, low);
  if (above + equal > sample_.size() / 8) return std::nullopt;
  auto found = count({{low, ranking<R>::best}})[0];
  if (!found.holds(k)) return std::nullopt;
  return found;
}

template <class R>
shared_best<R> shared_search<R>::best(std::uint64_t k) {
  take_sample();
  auto const kept = keep_best(k);
  if (kept && kept->keys.low != kept->keys.high) {
    count_path(path::top_k_filter);
    return shared_search(ranks_, rank_, kept->here->as_pieces(), kept->all.inside, threads_,
                         limits_, kept->here)
        .best_by_key(k);
  }
  return best_by_key(k);
}

template <class R>
shared_best<R> shared_search<R>::best_by_key(std::uint64_t k) {
  auto const worst = at({k})[0];
  // Where several tie with it, ranks before this one give theirs first.
  auto const equal = numbers_of_ranks(ranks_, [&] { return std::vector{worst.mine.inside}; });
  std::uint64_t ties = worst.ties;
  for (int r = 0; r < ranks_.rank(); ++r) ties -= std::min(ties, equal[std::size_t(r)][0]);
  return {{worst.key, std::min(ties, worst.mine.inside)}, from_, memory_};
}

template class shared_search<std::uint8_t>;
template class shared_search<std::uint16_t>;
template class shared_search<std::uint32_t>;
template class shared_search<std::uint64_t>;
template class shared_search<float16>;
template class shared_search<bfloat16>;
template class shared_search<float>;
template class shared_search<double>;

}  // namespace tally::detail::top_k
