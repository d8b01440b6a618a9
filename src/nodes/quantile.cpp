// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/quantile.hpp"

#include <algorithm>

#include "../cpu/top_k/nth.hpp"
#include "shared_search.hpp"
#include "tally/compiled.hpp"
#include "tally/exact/between.hpp"

namespace tally::detail {
namespace {

using namespace top_k;

// In ascending order NaNs have the least key of all.
template <class T>
std::uint64_t count_nans(slice_here<T> const& mine) {
  if (!floating<T>) return 0;
  std::uint64_t count = 0;
  auto const rank = ranking<represent<T>>::of(std::type_identity<T>{}, {.order = smallest});
  for (auto const& c : count_each(rank, pieces_of(mine), {}, thread_count(mine.cores)))
    count += c.inside;
  return count;
}

// The element that a search has found. The rank that has it tells the others.
template <class T>
kth_value_result<T> element_at(communicator& ranks, slice_here<T> const& mine,
                               ranking<represent<T>> rank, shared_key<represent<T>> const& found) {
  auto const counted = numbers_of_ranks(
      ranks, [&] { return std::vector<std::uint64_t>{found.mine.inside, mine.elements.size()}; });
  std::uint64_t ties = found.ties, begin = 0;
  std::size_t owner = 0;
  for (; counted[owner][0] < ties; ++owner) ties -= counted[owner][0], begin += counted[owner][1];
  auto const told = numbers_of_ranks(ranks, [&]() -> std::vector<std::uint64_t> {
    if (owner != std::size_t(ranks.rank())) return {};
    auto const all = count_each(rank, found.from, found.key, thread_count(mine.cores));
    auto const [value, index] = locate(rank, found.from, {found.key, ties}, all);
    return {to_bits(value), begin + std::uint64_t(index)};
  });
  return {from_bits<T>(bits_of<T>(told[owner][0])), std::int64_t(told[owner][1])};
}

}  // namespace

template <class T>
kth_value_result<T> kth_of_ranks(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                                 std::uint64_t k, kth_value_options const& options) {
  top_k_options const order{.order = options.order, .nan = options.nan};
  auto const rank = ranking<represent<T>>::of(std::type_identity<T>{}, order);
  auto search = search_slices(ranks, mine, n, order);
  auto const found = search.at({k})[0];
  if (found.key < rank.lowest) return {missing<T>(), -1};
  return element_at(ranks, mine, rank, found);
}

template <class T, class Out>
void quantiles_of_ranks(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                        quantile_places const& qs, Out* out, quantile_options const& options) {
  std::uint64_t present = n;
  for (auto const& nans : numbers_of_ranks(ranks, [&] { return std::vector{count_nans(mine)}; }))
    present -= nans[0];
  if (present == 0 || (present < n && options.nan == propagate))
    return void(std::fill_n(out, qs.size(), missing<Out>()));
  std::vector<sorted_place> at;
  std::vector<std::uint64_t> places;  // from 1 on
  for (std::size_t i = 0; i < qs.size(); ++i) {
    auto const& one = at.emplace_back(place_of(options.method, present, qs[i]));
    places.insert(places.end(), {one.index + 1, one.index + (one.is_between() ? 2 : 1)});
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  auto const found = search_slices(ranks, mine, n, {.order = smallest}).at(places);
  auto const key_at = [&](std::uint64_t place) {
    auto const i = std::ranges::lower_bound(places, place) - places.begin();
    return found[std::size_t(i)].key;
  };
  for (std::size_t i = 0; i < at.size(); ++i)
    out[i] = quantile_at<Out, T>(key_at(at[i].index + 1),
                                 key_at(at[i].index + (at[i].is_between() ? 2 : 1)), at[i]);
}

#define X(O, T)                                                                                 \
  template kth_value_result<T> kth_of_ranks(communicator&, slice_here<T> const&, std::uint64_t, \
                                            std::uint64_t, kth_value_options const&);
TALLY_EACH_element(X, quantile)
#undef X
#define X(O, T)                                                                        \
  template void quantiles_of_ranks(communicator&, slice_here<T> const&, std::uint64_t, \
                                   quantile_places const&, O<T>*, quantile_options const&);
    TALLY_EACH_element(X, quantile_of) TALLY_EACH_integer(X, std::type_identity_t)
#undef X

}  // namespace tally::detail
