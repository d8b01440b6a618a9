// SPDX-License-Identifier: Apache-2.0
//
// top_k of an array that ranks share out. Each selects from its own slice, as if that were the
// array, and tells all. Where k is large it is found out before how many of the best each has.
#pragma once

#include <algorithm>

#include "tally/nodes/found.hpp"
#include "tally/nodes/results.hpp"
#include "tally/nodes/slice.hpp"
#include "tally/top_k.hpp"

namespace tally::detail {

// Of how many elements that ranks would tell, if each told k, it is found out which ones need not.
inline constexpr std::uint64_t many_to_tell = std::uint64_t(1) << 16;

// How many of the k best of all are in this rank's slice, of n that all have: src/nodes/top_k.cpp
// has the instances.
template <class T>
std::uint64_t share_of_best(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
                            std::uint64_t k, top_k_options const& options);

// The best of all, and where slices begin.
template <class T>
struct best_of_ranks {
  top_k_result<T> best;
  std::vector<std::uint64_t> starts;
};

// require() throws what else is wrong on a rank.
template <class W, readable R, class F>
auto select_on_ranks(distributed<W> const& all, char const* call, R const& in, std::uint64_t k,
                     top_k_options const& options, F const& require,
                     std::uint64_t many = many_to_tell) {
  using T = element_of<R>;
  using where = std::remove_cvref_t<W>;
  auto own = options;
  own.sorted = true;
  std::uint64_t share = k;
  bool exact = false;
  if (!options.distinct && k > many / std::uint64_t(all.ranks.size())) {
    std::optional<slice_here<T>> here;
    auto const told = numbers_of_ranks(all.ranks, [&] {
      require();
      here = slice_if_here<where>(all.where, call, in);
      return std::vector<std::uint64_t>{input_of(call, "in", in).size(), here.has_value()};
    });
    std::uint64_t n = 0;
    exact = true;
    for (auto const& one : told) n += one[0], exact &= one[1] != 0;
    require_top_k(call, k, n);
    if (exact) share = share_of_best(all.ranks, *here, n, k, options), own.sorted = options.sorted;
  }
  found_by_ranks<T> found(all_gather_result(all.ranks, [&] {
    require();
    std::uint64_t const n = input_of(call, "in", in).size();
    return bytes_of_found(selections_on<where>::best(all.where, in, std::min(share, n), own), n);
  }));
  require_top_k(call, k, found.size());
  bool const by_index = exact && !options.sorted;
  return best_of_ranks<T>{
      by_index ? joined(found.found) : best_of_found(std::move(found.found), k, options),
      std::move(found.starts)};
}

// What belongs to elements of the array, of which each rank has the entries of its slice.
template <class P>
std::vector<P> payload_of_ranks(communicator& ranks, std::vector<std::uint64_t> const& starts,
                                std::vector<std::int64_t> const& indices, P const* payload) {
  auto const rank_of = [&](std::int64_t at) {
    return std::size_t(std::ranges::upper_bound(starts, std::uint64_t(at)) - starts.begin()) - 1;
  };
  auto const own = std::size_t(ranks.rank());
  auto const told = all_gather_result(ranks, [&] {
    std::vector<P> mine;
    for (auto const at : indices)
      if (rank_of(at) == own) mine.push_back(payload[std::uint64_t(at) - starts[own]]);
    return bytes_of_values(mine);
  });
  std::vector<P> chosen(indices.size());
  std::vector<std::size_t> next(told.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto const rank = rank_of(indices[i]);
    std::memcpy(static_cast<void*>(&chosen[i]), told[rank].data() + next[rank]++ * sizeof(P),
                sizeof(P));
  }
  return chosen;
}

template <class W>
struct selections_on<distributed<W>> {
  template <readable R>
  static auto best(distributed<W> const& all, R const& in, std::uint64_t k,
                   top_k_options const& options) {
    return select_on_ranks(all, "top_k", in, k, options, [] {}).best;
  }
  // Returns when all is there.
  template <class In, class Second>
  static std::uint64_t into(distributed<W> const& all, In const& in, std::uint64_t k,
                            std::span<given_element<In>> values, std::span<Second> second,
                            std::uint64_t* count, top_k_options const& options) {
    constexpr char const* call = "top_k_into";
    auto const found = select_on_ranks(all, call, keys_in(in), k, options, [&] {
      require_room_for_top_k(k, values.size(), second.size(), selected<In>::beside);
      require_writable(all.where, call, "values", values);
      require_writable(all.where, call, selected<In>::beside, second);
      require_writable(all.where, call, "count", std::span(count, std::size_t(count ? 1 : 0)));
    });
    auto const& best = found.best;
    std::uint64_t const size = best.indices.size();
    if constexpr (has_payload<In>) {
      static_assert(readable_here<decltype(in.payload)>,
                    "top_k_into: ranks share out a payload where cores see it");
      auto chosen = payload_of_ranks(all.ranks, found.starts, best.indices, in.payload.data());
      chosen.resize(std::size_t(k));
      write(all, chosen, second);
    } else {
      require_indices<Second>(found.starts.back());
      write(all, std::vector<Second>(best.indices.begin(), best.indices.end()), second);
    }
    write(all, best.values, values);
    if (count) write_results(all.where, std::span(&size, 1), std::span(count, 1));
    return size;
  }

 private:
  template <class From, class To>
  static void write(distributed<W> const& all, std::vector<From> const& from, std::span<To> to) {
    static_assert(sizeof(From) == sizeof(To));
    write_results(all.where, std::span(reinterpret_cast<To const*>(from.data()), from.size()),
                  to.first(from.size()));
  }
};

}  // namespace tally::detail
