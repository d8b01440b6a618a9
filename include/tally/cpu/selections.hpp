// SPDX-License-Identifier: Apache-2.0
//
// top_k by cores.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/cpu/elements.hpp"
#include "tally/exact/float_format.hpp"
#include "tally/input.hpp"
#include "tally/known_elements.hpp"
#include "tally/options.hpp"
#include "tally/owner.hpp"
#include "tally/payload.hpp"
#include "tally/rows.hpp"
#include "tally/top_k_state.hpp"
#include "tally/where.hpp"

namespace tally {

// top_k of an array that arrives in pieces, or in parts that are seen apart and then put together.
// Any split gives the same result. Memory: what the k best need, and about a megabyte a thread.
//
//   tally::selector<float> best(10);
//   while (...) best.add(here, chunk);           // each chunk follows what was added before
//   auto const found = std::move(best).result();
//
// Each chunk may be in another memory: on a gpu add() waits for the stream.
template <class T>
class selector;

namespace detail {

// Adds a chunk to a selector, by what `Where` is.
template <class Where>
struct selectors_on;
template <>
struct selectors_on<cpu> {
  template <class T, readable R>
  static void add(cpu where, selector<T>& all, R const& chunk) {
    static_assert(readable_here<R>, "selector: cores do not see the elements of this array");
    if constexpr (input<R>)
      for_computed(where, chunk, false,
                   [&](std::span<T const> part, std::uint64_t) { all.add_here(where, part); });
    else
      all.add_here(where, span_of("selector", "in", chunk));
  }
};

}  // namespace detail

template <class T>
class selector {
 public:
  // `first` is the index of the first element to come.
  explicit selector(std::uint64_t k, top_k_options options = {}, std::uint64_t first = 0);
  // Goes on behind what a state knows.
  explicit selector(top_k_state<T> const& known);
  selector(selector&&) noexcept;
  selector& operator=(selector&&) noexcept;
  ~selector();

  template <execution Where>
  void add(Where&& where, std::span<T const> chunk) {
    detail::calls_on<detail::selectors_on, Where>::add(where, *this, chunk);
  }
  template <execution Where, detail::readable R>
    requires detail::gives<R, T>
  void add(Where&& where, R const& chunk) {
    detail::settled_memory<detail::element_of<R>> const during;
    decltype(auto) elements = detail::as_elements<T>("selector", chunk);
    detail::calls_on<detail::selectors_on, Where>::add(where, *this, elements);
  }
  void add_here(cpu where, std::span<T const> chunk);
  // Adds n elements, of which these are the best, by indices among them.
  void add_found(top_k_result<T> found, std::uint64_t n);
  // Takes over what `right` saw: other indices of the same array, asked the same k and options.
  void append(selector&& right);
  // How many elements were added here and to what was appended.
  std::uint64_t count() const;
  std::uint64_t k() const;
  top_k_options const& options() const;
  // What it knows.
  top_k_state<T> state();
  // Ends it: std::move(best).result(). Fewer elements than k are an error.
  top_k_result<T> result() &&;

 private:
  struct held;
  detail::owner<held> state_;
};

namespace detail {

// Of an array; src/cpu/top_k.cpp has the instances.
template <class T>
top_k_result<T> top_k_compiled(cpu where, std::span<T const> in, std::uint64_t k,
                               top_k_options const& options);
template <class T>
std::uint64_t top_k_into_compiled(cpu where, std::span<T const> in, std::uint64_t k,
                                  std::span<T> values, std::span<std::int64_t> indices,
                                  top_k_options const& options);
void require_room_for_top_k(std::uint64_t k, std::size_t values, std::size_t indices,
                            char const* second = "indices");
void require_top_k(char const* call, std::uint64_t k, std::uint64_t n);

// Each row has k.most places in the outputs.
template <class T>
void top_k_of_rows_compiled(cpu where, rows<T const> const& in, k_of_rows const& k, T* values,
                            std::int64_t* indices, std::uint64_t* counts,
                            top_k_options const& options);
template <class T>
void require_rows_to_select(char const* call, rows<T> const& in, k_of_rows const& k,
                            std::uint64_t const* counts) {
  require_rows(call, "in", in);
  require_lengths(call, in);
  if (in.count == 0) return;
  require_aligned(call, "k", std::span(k.each, 1));
  require_aligned(call, "counts", std::span(counts, 1));
}

// Places for the best of rows: apart from these, and from one another.
template <class In, class T, class Second>
void require_places_to_select(rows<In> const& in, std::uint64_t k, std::span<T> values,
                              char const* beside, std::span<Second> second,
                              std::uint64_t const* counts, bool here) {
  auto const places = in.count * k;
  require_aligned("top_k_into", "values", values);
  require_aligned("top_k_into", beside, second);
  require_unread("top_k_into", {"in", in_memory(in)},
                 {{"values", in_memory(values.data(), places)},
                  {beside, in_memory(second.data(), places)},
                  {"counts", in_memory(counts, in.count)}},
                 here);
}

// What a place holds that a row is too short for.
template <class T>
T missing() {
  if constexpr (floating<T>)
    return from_bits<T>(format<T>::quiet_nan);
  else
    return T(0);
}

// Whether indices below n fit.
template <class Index>
void require_indices(std::uint64_t n) {
  static_assert(is_one_of<Index, std::int64_t, std::int32_t>,
                "top_k_into: indices are std::int64_t or std::int32_t");
  if (sizeof(Index) == 4 && n > 0x80000000u)
    throw error("top_k_into: indices of 32 bits, of " + std::to_string(n) + " elements");
}

// The payload of the elements at `indices`, `step` apart, into `chosen`: zero bytes where there is
// no element.
template <class P>
void gather_payload(P const* payload, std::int64_t step, std::span<std::int64_t const> indices,
                    P* chosen) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    void* const to = chosen + i;
    if (indices[i] < 0)
      std::memset(to, 0, sizeof(P));
    else
      std::memcpy(to, payload + indices[i] * step, sizeof(P));
  }
}

// Throws unless every row is within a payload of so many entries.
inline void require_payload(row_layout const& in, std::size_t entries) {
  for (std::uint64_t r = 0; r < in.count; ++r) {
    auto const size = std::int64_t(in.size(r));
    if (size == 0) continue;
    auto first = in.begin(r), last = first + (size - 1) * in.step;
    if (last < first) std::swap(first, last);
    if (first < 0 || std::uint64_t(last) >= entries)
      throw error("top_k_into: payload has " + std::to_string(entries) + " entries, where row " +
                  std::to_string(r) + " is from " + std::to_string(first) + " to " +
                  std::to_string(last + 1));
  }
}

// Ranks that share out an array (nodes/slice.hpp) have only a slice of it each: how many
// elements there are they find out together, and where one's arguments are wrong they all throw.
template <class Where>
struct arguments_on {
  static constexpr bool are_all = true;
  static void require(auto const&, auto const& f) { f(); }
};

// Selections by what `Where` is.
template <class Where>
struct selections_on;

template <>
struct selections_on<cpu> {
  template <readable R>
  static top_k_result<element_of<R>> best(cpu where, R const& in, std::uint64_t k,
                                          top_k_options const& options) {
    static_assert(readable_here<R>, "top_k: cores do not see the elements of this array");
    using T = element_of<R>;
    if constexpr (input<R>) {
      selector<T> all(k, options);
      all.add(where, in);
      return std::move(all).result();
    } else {
      return top_k_compiled<T>(where, span_of("top_k", "in", in), k, options);
    }
  }
  template <readable R, class Index>
  static std::uint64_t into(cpu where, R const& in, std::uint64_t k,
                            std::span<element_of<R>> values, std::span<Index> indices,
                            std::uint64_t* count, top_k_options const& options) {
    static_assert(readable_here<R>, "top_k_into: cores do not see the elements of this array");
    std::uint64_t found;
    if constexpr (input<R> || sizeof(Index) == 4) {
      require_room_for_top_k(k, values.size(), indices.size());
      require_indices<Index>(input_of("top_k_into", "in", in).size());
      auto const all = best(where, in, k, options);
      found = all.values.size();
      for (std::size_t i = 0; i < found; ++i) {
        values[i] = element_of<R>(all.values[i]);
        indices[i] = Index(all.indices[i]);
      }
    } else {
      found = top_k_into_compiled<element_of<R>>(where, span_of("top_k_into", "in", in), k, values,
                                                 indices, options);
    }
    if (count) *count = found;
    return found;
  }
  template <readable R, class Entries, class P>
  static std::uint64_t into(cpu where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                            std::span<element_of<R>> values, std::span<P> chosen,
                            std::uint64_t* count, top_k_options const& options) {
    static_assert(readable_here<Entries>, "top_k_into: cores do not see the payload's entries");
    require_top_k("top_k_into", k, in.payload.size());
    require_room_for_top_k(k, values.size(), chosen.size(), "chosen");
    std::vector<std::int64_t> indices(std::size_t(k), -1);
    auto const found = into(where, in.keys, k, values, std::span(indices), count, options);
    gather_payload<P>(in.payload.data(), 1, indices, chosen.data());
    return found;
  }

  template <class T>
  static top_k_rows_result<T> best(cpu where, rows<T const> const& in, k_of_rows const& k,
                                   top_k_options const& options) {
    require_rows_to_select("top_k", in, k, nullptr);
    top_k_rows_result<T> found;
    found.values.resize(std::size_t(in.count * k.most));
    found.indices.resize(found.values.size());
    found.counts.resize(std::size_t(in.count));
    top_k_of_rows_compiled(where, in, k, reinterpret_cast<T*>(found.values.data()),
                           found.indices.data(), found.counts.data(), options);
    return found;
  }
  template <class T, class Index>
  static void into(cpu where, rows<T const> const& in, k_of_rows const& k, std::span<T> values,
                   std::span<Index> indices, std::uint64_t* counts, top_k_options const& options) {
    require_rows_to_select("top_k_into", in, k, counts);
    require_places_to_select(in, k.most, values, "indices", indices, counts, true);
    if constexpr (sizeof(Index) == 4) {
      require_indices<Index>(in.length);
      std::vector<std::int64_t> wide(std::size_t(in.count * k.most));
      top_k_of_rows_compiled(where, in, k, values.data(), wide.data(), counts, options);
      for (std::size_t i = 0; i < wide.size(); ++i) indices[i] = Index(wide[i]);
    } else {
      top_k_of_rows_compiled(where, in, k, values.data(), indices.data(), counts, options);
    }
  }
  template <class T, class Entries, class P>
  static void into(cpu where, keys_with_payload<rows<T const>, Entries> const& in,
                   k_of_rows const& k, std::span<T> values, std::span<P> chosen,
                   std::uint64_t* counts, top_k_options const& options) {
    static_assert(readable_here<Entries>, "top_k_into: cores do not see the payload's entries");
    auto const& keys = in.keys;
    require_rows_to_select("top_k_into", keys, k, counts);
    require_places_to_select(keys, k.most, values, "chosen", chosen, counts, true);
    require_payload(keys, in.payload.size());
    auto const most = std::size_t(k.most);
    std::vector<std::int64_t> indices(std::size_t(keys.count) * most);
    into(where, keys, k, values, std::span(indices), counts, options);
    for (std::uint64_t r = 0; r < keys.count; ++r)
      gather_payload<P>(in.payload.data() + keys.begin(r), keys.step,
                        std::span(indices).subspan(r * most, most), chosen.data() + r * most);
  }
};

}  // namespace detail
}  // namespace tally
