// SPDX-License-Identifier: Apache-2.0
//
// top_k of an array that ranks share out. Each selects from its own slice, as if that were the
// array, and tells all. Where k is large it is found out before how many of the best each has.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "tally/nodes/found.hpp"
#include "tally/nodes/results.hpp"
#include "tally/nodes/row_slices.hpp"
#include "tally/top_k.hpp"

namespace tally::detail {

// If ranks that told k elements each would tell more than so many in all, it is found out before
// which ones need not be told.
inline constexpr std::uint64_t many_to_tell = std::uint64_t(1) << 16;

// What each rank has of the k best of all, of n that all have; best first if they are to be sorted,
// else by ascending index. src/nodes/top_k.cpp has the instances.
template <class T>
bytes_of_ranks tell_best(communicator& ranks, slice_here<T> const& mine, std::uint64_t n,
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
  if (!options.distinct && k > many / std::uint64_t(all.ranks.size())) {
    std::optional<slice_here<T>> here;
    auto const told = numbers_of_ranks(all.ranks, [&] {
      require();
      here = slice_if_here<where>(all.where, call, in);
      return std::vector<std::uint64_t>{input_of(call, "in", in).size(), here.has_value()};
    });
    std::uint64_t n = 0;
    bool all_here = true;
    for (auto const& one : told) n += one[0], all_here &= one[1] != 0;
    require_top_k(call, k, n);
    if (all_here) {
      found_by_ranks<T> found(tell_best(all.ranks, *here, n, k, options));
      return best_of_ranks<T>{
          options.sorted ? best_of_found(std::move(found.found), k, options) : joined(found.found),
          std::move(found.starts)};
    }
  }
  found_by_ranks<T> found(all_gather_result(all.ranks, [&] {
    require();
    auto own = options;
    own.sorted = true;
    std::uint64_t const n = input_of(call, "in", in).size();
    return bytes_of_found(selections_on<where>::best(all.where, in, std::min(k, n), own), n);
  }));
  require_top_k(call, k, found.size());
  return best_of_ranks<T>{best_of_found(std::move(found.found), k, options),
                          std::move(found.starts)};
}

// Which rank has an element, and where in its slice.
struct slice_place {
  int rank;  // -1: none
  std::uint64_t index;
};
// The place of the element with the index `at` in an array or a row, by the sizes of its slices.
template <class SizeOf>
slice_place place_in_slices(int ranks, std::int64_t at, SizeOf const& size_of) {
  if (at < 0) return {-1, 0};
  auto index = std::uint64_t(at);
  int rank = 0;
  for (; rank + 1 < ranks && index >= size_of(rank); ++rank) index -= size_of(rank);
  return {rank, index};
}

// What belongs to elements, each of which one rank has: entry(i, index in its slice) there. Zero
// bytes where none has it.
template <class P>
using bytes_of_entry = std::array<std::byte, sizeof(P)>;
template <class P, class Entry>
std::vector<bytes_of_entry<P>> payload_of_ranks(communicator& ranks,
                                                std::vector<slice_place> const& places,
                                                Entry const& entry) {
  auto const told = all_gather_result(ranks, [&] {
    std::vector<bytes_of_entry<P>> mine;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].rank == ranks.rank())
        mine.push_back(std::bit_cast<bytes_of_entry<P>>(entry(i, places[i].index)));
    return bytes_of_values(mine);
  });
  std::vector<bytes_of_entry<P>> chosen(places.size());
  std::vector<std::size_t> next(told.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].rank < 0) continue;
    auto const rank = std::size_t(places[i].rank);
    std::memcpy(&chosen[i], told[rank].data() + next[rank]++ * sizeof(P), sizeof(P));
  }
  return chosen;
}

// The best of each row, of which every rank has a slice.
template <class T>
struct best_of_rows_of_ranks {
  top_k_rows_result<T> best;
  std::vector<std::vector<std::uint64_t>> sizes;  // of the rows, by rank
  std::uint64_t longest = 0;
};
template <class W, class T, class F>
best_of_rows_of_ranks<T> select_rows_on_ranks(distributed<W> const& all, char const* call,
                                              rows<T const> const& in, k_of_rows const& k,
                                              top_k_options const& options, F const& require) {
  using where = std::remove_cvref_t<W>;
  auto const ks = std::make_unique<std::int64_t[]>(std::size_t(k.each ? in.count : 0));
  layout_here layout;
  auto sizes = sizes_of_rows(all.ranks, call, [&]() -> row_layout {
    require_rows(call, "in", in);
    if constexpr (std::is_same_v<where, cpu>) require_lengths(call, in);
    require();
    if (k.each) copy_here<where>(all.where, k.each, std::span(ks.get(), std::size_t(in.count)));
    layout = bring_layout<where>(all.where, in);
    return layout.rows;
  });
  auto const told = all_gather_result(all.ranks, [&] {
    auto own = options;
    own.sorted = true;
    return bytes_of_found_rows(
        selections_on<where>::best(all.where, in, k_of_rows{k.each, k.most}, own), k.most);
  });
  best_of_rows_of_ranks<T> found{
      best_of_found_rows<T>(told, sizes, {k.each ? ks.get() : nullptr, k.most}, options), {}};
  for (std::size_t r = 0; r < std::size_t(in.count); ++r) {
    std::uint64_t n = 0;
    for (auto const& of_rank : sizes) n += of_rank[r];
    found.longest = std::max(found.longest, n);
  }
  found.sizes = std::move(sizes);
  return found;
}

template <class W>
struct selections_on<distributed<W>> {
  template <readable R>
  static auto best(distributed<W> const& all, R const& in, std::uint64_t k,
                   top_k_options const& options) {
    return select_on_ranks(all, "top_k", in, k, options, [] {}).best;
  }
  template <class T>
  static auto best(distributed<W> const& all, rows<T const> const& in, k_of_rows const& k,
                   top_k_options const& options) {
    return select_rows_on_ranks(all, "top_k", in, k, options, [] {}).best;
  }

  // These return when all is there.
  template <class In, class Second>
  static std::uint64_t into(distributed<W> const& all, In const& in, std::uint64_t k,
                            std::span<given_element<In>> values, std::span<Second> second,
                            std::uint64_t* count, top_k_options const& options) {
    auto const found = select_on_ranks(all, call, keys_in(in), k, options, [&] {
      require_room_for_top_k(k, values.size(), second.size(), selected<In>::beside);
      require_memory(all, in, values, second, std::span(count, std::size_t(count ? 1 : 0)));
    });
    auto const& best = found.best;
    auto const& starts = found.starts;
    std::uint64_t const size = best.indices.size();
    if constexpr (has_payload<In>) {
      auto const places = places_of(all, best.indices, std::size_t(k), [&](std::size_t, int rank) {
        return starts[std::size_t(rank) + 1] - starts[std::size_t(rank)];
      });
      write(all, chosen_of(all, places, in, [](std::size_t, std::uint64_t at) { return at; }),
            second);
    } else {
      require_indices<Second>(starts.back());
      write(all, std::vector<Second>(best.indices.begin(), best.indices.end()), second);
    }
    write(all, best.values, values);
    if (count) write_results(all.where, std::span(&size, 1), std::span(count, 1));
    return size;
  }
  template <class In, class T, class Second>
  static void into(distributed<W> const& all, In const& in, k_of_rows const& k, std::span<T> values,
                   std::span<Second> second, std::uint64_t* counts, top_k_options const& options) {
    auto const& keys = keys_in(in);
    auto const found = select_rows_on_ranks(all, call, keys, k, options, [&] {
      require_places_to_select(keys, k.most, values, selected<In>::beside, second, counts, is_here);
      if constexpr (has_payload<In> && is_here) require_payload(keys, in.payload.size());
      require_memory(all, in, values, second,
                     std::span(counts, std::size_t(counts ? keys.count : 0)));
    });
    auto const& best = found.best;
    auto const row = [&](std::size_t i) { return i / std::size_t(k.most); };
    if constexpr (has_payload<In>) {
      auto const places = places_of(
          all, best.indices, best.indices.size(),
          [&](std::size_t i, int rank) { return found.sizes[std::size_t(rank)][row(i)]; });
      write(all,
            chosen_of(all, places, in,
                      [&](std::size_t i, std::uint64_t at) {
                        return keys.begin(row(i)) + std::int64_t(at) * keys.step;
                      }),
            second);
    } else {
      require_indices<Second>(found.longest);
      write(all, std::vector<Second>(best.indices.begin(), best.indices.end()), second);
    }
    write(all, best.values, values);
    if (counts) write_results(all.where, best.counts, std::span(counts, best.counts.size()));
  }

 private:
  static constexpr char const* call = "top_k_into";
  static constexpr bool is_here = std::is_same_v<std::remove_cvref_t<W>, cpu>;

  template <class In, class T, class Second>
  static void require_memory(distributed<W> const& all, In const& in, std::span<T> values,
                             std::span<Second> second, std::span<std::uint64_t> counts) {
    require_writable(all.where, call, "values", values);
    require_writable(all.where, call, selected<In>::beside, second);
    require_writable(all.where, call, is_rows<keys_of<In>> ? "counts" : "count", counts);
    if constexpr (has_payload<In> && std::is_same_v<std::remove_cvref_t<W>, automatic>)
      if (in.payload.size() && gpu_holding(in.payload.data()) >= 0)
        throw error("top_k_into: payload is in a GPU's memory, where ranks do not share it out");
  }
  template <class SizeOf>
  static std::vector<slice_place> places_of(distributed<W> const& all,
                                            std::vector<std::int64_t> const& indices,
                                            std::size_t count, SizeOf const& size_of) {
    std::vector<slice_place> places(count, {-1, 0});
    for (std::size_t i = 0; i < indices.size(); ++i)
      places[i] =
          place_in_slices(all.ranks.size(), indices[i], [&](int rank) { return size_of(i, rank); });
    return places;
  }
  template <class In, class At>
  static auto chosen_of(distributed<W> const& all, std::vector<slice_place> const& places,
                        In const& in, At const& at) {
    static_assert(
        readable_here<decltype(in.payload)> && is_one_of<std::remove_cvref_t<W>, cpu, automatic>,
        "top_k_into: ranks share out a payload in memory that cores see");
    using P = std::remove_const_t<std::remove_pointer_t<decltype(in.payload.data())>>;
    return payload_of_ranks<P>(all.ranks, places, [&](std::size_t i, std::uint64_t index) {
      return in.payload.data()[at(i, index)];
    });
  }
  template <class From, class To>
  static void write(distributed<W> const& all, std::vector<From> const& from, std::span<To> to) {
    static_assert(sizeof(From) == sizeof(To));
    write_results(all.where, std::span(reinterpret_cast<To const*>(from.data()), from.size()),
                  to.first(from.size()));
  }
};

}  // namespace tally::detail
