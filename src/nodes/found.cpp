// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/found.hpp"

#include <algorithm>
#include <utility>

#include "../cpu/top_k/sort_pairs.hpp"
#include "tally/compiled.hpp"

namespace tally::detail {
namespace {

using namespace top_k;

// The k best of two, best first, of which all indices of `left` are lower.
template <class T>
top_k_result<T> merged(top_k_result<T> const& left, top_k_result<T> const& right, std::uint64_t k,
                       ranking<represent<T>> rank, bool distinct) {
  using R = represent<T>;
  auto const key = [&](top_k_result<T> const& x, std::size_t i) {
    return rank(reinterpret_cast<R const*>(x.values.data())[i]);
  };
  std::size_t const l = left.indices.size(), r = right.indices.size();
  top_k_result<T> all;
  all.values.reserve(std::min<std::uint64_t>(l + r, k));
  all.indices.reserve(all.values.capacity());
  auto const take = [&](top_k_result<T> const& x, std::size_t i) {
    all.values.push_back(x.values[i]);
    all.indices.push_back(x.indices[i]);
  };
  for (std::size_t i = 0, j = 0; (i < l || j < r) && all.indices.size() < k;) {
    if (distinct && i < l && j < r && key(left, i) == key(right, j)) ++j;
    if (j == r || (i < l && key(left, i) >= key(right, j)))
      take(left, i++);
    else
      take(right, j++);
  }
  return all;
}

}  // namespace

template <class T>
top_k_result<T> best_of_found(std::vector<top_k_result<T>> found, std::uint64_t k,
                              top_k_options const& options) {
  auto const rank = ranking<represent<T>>::of(std::type_identity<T>{}, options);
  // Neighbours are merged, then neighbours of what that gave.
  for (std::size_t step = 1; step < found.size(); step *= 2)
    for (std::size_t i = 0; i + step < found.size(); i += 2 * step)
      found[i] = merged(found[i], std::exchange(found[i + step], {}), k, rank, options.distinct);
  auto& best = found.front();
  if (!options.sorted)
    sort_pairs(reinterpret_cast<represent<T>*>(best.values.data()), best.indices.data(),
               best.indices.size(), top_k::by_index{});
  return std::move(best);
}

template <class T>
top_k_rows_result<T> best_of_found_rows(bytes_of_ranks const& told,
                                        std::vector<std::vector<std::uint64_t>> const& sizes,
                                        k_of_rows const& k, top_k_options const& options) {
  std::size_t const count = sizes.front().size();
  top_k_rows_result<T> all;
  all.counts.resize(count);
  all.values.resize(count * std::size_t(k.most), missing<T>());
  all.indices.resize(all.values.size(), -1);
  std::vector<std::span<std::byte const>> left(told.begin(), told.end());
  std::vector<std::vector<std::uint64_t>> counts;
  auto const take = [](std::span<std::byte const>& from, std::size_t bytes) {
    return std::exchange(from, from.subspan(bytes)).first(bytes);
  };
  for (auto& from : left) counts.push_back(values_in<std::uint64_t>(take(from, 8 * count)));
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<top_k_result<T>> found(told.size());
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < told.size(); ++i) {
      auto const n = std::size_t(counts[i][r]);
      found[i].indices = values_in<std::int64_t>(take(left[i], 8 * n));
      found[i].values = values_in<value_in<T>>(take(left[i], sizeof(T) * n));
      for (auto& at : found[i].indices) at += std::int64_t(before);
      before += sizes[i][r];
    }
    auto const own = k.each ? std::uint64_t(std::max<std::int64_t>(0, k.each[r])) : k.most;
    auto const best = best_of_found(std::move(found), std::min(own, k.most), options);
    auto const at = std::ptrdiff_t(r * std::size_t(k.most));
    std::ranges::copy(best.values, all.values.begin() + at);
    std::ranges::copy(best.indices, all.indices.begin() + at);
    all.counts[r] = best.indices.size();
  }
  return all;
}

#define X(O, T)                                                                                    \
  template top_k_result<T> best_of_found(std::vector<top_k_result<T>>, std::uint64_t,              \
                                         top_k_options const&);                                    \
  template top_k_rows_result<T> best_of_found_rows(bytes_of_ranks const&,                          \
                                                   std::vector<std::vector<std::uint64_t>> const&, \
                                                   k_of_rows const&, top_k_options const&);
TALLY_EACH_element(X, found)
#undef X

}  // namespace tally::detail
