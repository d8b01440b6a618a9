// SPDX-License-Identifier: Apache-2.0
//
// A rank's slice of an array as cores see it.
#pragma once

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "tally/cpu/elements.hpp"
#include "tally/cpu/selections.hpp"
#include "tally/nodes/results.hpp"
#include "tally/nodes/told.hpp"

namespace tally::detail {

template <class T>
T* first_of_ones(std::vector<one<T>>& all) {
  return all.empty() ? nullptr : &all.data()->value;
}

template <class T>
struct slice_here {
  cpu cores;
  std::span<T const> elements;
  std::vector<one<T>> memory;  // where they are, unless the caller has them
};

template <class Where>
cpu cores_of(Where const& where) {
  if constexpr (std::is_same_v<Where, cpu>)
    return where;
  else if constexpr (std::is_same_v<Where, automatic>)
    return where.use_cpu();
  else
    return {};
}

template <class W>
struct arguments_on<distributed<W>> {
  static constexpr bool are_all = false;
  template <class F>
  static void require(distributed<W> const& all, F const& f) {
    numbers_of_ranks(all.ranks, [&] { return f(), std::vector<std::uint64_t>(); });
  }
};

// Copies what is in the memory of `where`.
template <class Where, class T>
void copy_here(Where const& where, T const* from, std::span<T> to) {
  if (to.empty()) return;
  visit_writer(where, std::span(from, to.size()), [&]<class There>(There const& there) {
    if constexpr (std::is_same_v<There, cpu>)
      std::memcpy(to.data(), from, to.size_bytes());
    else
      entered_gpu(there.context())->receive(std::as_writable_bytes(to), from);
  });
}

template <class R>
std::span<element_of<R> const> span_of_slice(char const* call, R const& in) {
  auto const all = span_of(call, "in", in);
  require_aligned(call, "in", all);
  return {all.data(), all.size()};
}

// A slice that is an array where cores see it, or nothing.
template <class Where, readable R>
std::optional<slice_here<element_of<R>>> slice_if_here(Where const& where, char const* call,
                                                       R const& in) {
  if constexpr (!input<R> && is_one_of<Where, cpu, automatic>) {
    slice_here<element_of<R>> const found{cores_of(where), span_of_slice(call, in), {}};
    bool here = false;
    visit_writer(where, found.elements,
                 [&]<class There>(There const&) { here = std::is_same_v<There, cpu>; });
    if (here) return found;
  }
  return std::nullopt;
}

// Any slice as an array that cores see: what is in a gpu's memory is copied to the host, and what
// is no array is computed.
template <class Where, readable R>
slice_here<element_of<R>> bring_slice(Where const& where, char const* call, R const& in) {
  using T = element_of<R>;
  if (auto found = slice_if_here(where, call, in)) return *std::move(found);
  slice_here<T> found{cores_of(where), {}, {}};
  if constexpr (input<R>) {
    static_assert(is_one_of<Where, cpu, automatic>,
                  "kth_value and quantile of what ranks share out: a gpu's slices are arrays");
    found.memory.reserve(std::size_t(in.size()));
    for_computed(found.cores, in, false, [&](std::span<T const> part, std::uint64_t) {
      for (T const x : part) found.memory.push_back({x});
    });
  } else {
    auto const all = span_of_slice(call, in);
    found.memory.resize(all.size());
    copy_here(where, all.data(), std::span(first_of_ones(found.memory), all.size()));
  }
  found.elements = {first_of_ones(found.memory), found.memory.size()};
  return found;
}

// This rank's slice, and how many elements all have. require() throws what else is wrong on a rank.
template <class Where, readable R, class F>
std::pair<slice_here<element_of<R>>, std::uint64_t> bring_slices(communicator& ranks,
                                                                 Where const& where,
                                                                 char const* call, R const& in,
                                                                 F const& require) {
  slice_here<element_of<R>> mine;
  std::uint64_t n = 0;
  auto const sizes = numbers_of_ranks(ranks, [&] {
    require();
    mine = bring_slice(where, call, in);
    return std::vector<std::uint64_t>{mine.elements.size()};
  });
  for (auto const& size : sizes) n += size[0];
  return {std::move(mine), n};
}

}  // namespace tally::detail
