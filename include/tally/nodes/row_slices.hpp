// SPDX-License-Identifier: Apache-2.0
//
// Rows that ranks share out: all have the same ones, and a slice of each.
#pragma once

#include <algorithm>
#include <string>

#include "tally/nodes/slice.hpp"
#include "tally/rows.hpp"

namespace tally::detail {

// A layout whose starts and lengths cores see.
struct layout_here {
  row_layout rows;
  std::vector<std::int64_t> starts, lengths, lengths_from;
};
template <class Where>
layout_here bring_layout(Where const& where, row_layout const& in) {
  layout_here found{in, {}, {}, {}};
  if constexpr (!std::is_same_v<Where, cpu>) {
    auto const bring = [&](std::int64_t const*& from, std::vector<std::int64_t>& to) {
      if (!from) return;
      to.resize(std::size_t(in.count));
      copy_here(where, from, std::span(to));
      from = to.data();
    };
    bring(found.rows.starts, found.starts);
    bring(found.rows.lengths, found.lengths);
    bring(found.rows.lengths_from, found.lengths_from);
  }
  return found;
}

// Rows side by side.
template <class T>
struct packed_elements {
  std::vector<std::int64_t> starts, lengths;
  std::vector<one<T>> elements;

  // Room for a row.
  std::span<T> add(std::uint64_t size) {
    starts.push_back(std::int64_t(elements.size()));
    lengths.push_back(std::int64_t(size));
    elements.resize(elements.size() + std::size_t(size));
    return {first_of_ones(elements) + starts.back(), std::size_t(size)};
  }
  rows<T const> all() const {
    row_layout const layout{.count = starts.size(),
                            .length = elements.size(),
                            .starts = starts.data(),
                            .lengths = lengths.data()};
    return {elements.empty() ? nullptr : &elements.data()->value, layout};
  }
};

// This rank's slices as cores see them, and how long each is on every rank.
template <class T>
struct rows_of_ranks {
  cpu cores;
  rows<T const> mine;
  std::vector<std::vector<std::uint64_t>> sizes;  // by rank
  packed_elements<T> memory;                      // of what is copied

  std::uint64_t size(std::uint64_t r) const {
    std::uint64_t n = 0;
    for (auto const& of_rank : sizes) n += of_rank[std::size_t(r)];
    return n;
  }
};

// The sizes of rows, which are as many on all ranks.
template <class F>
std::vector<std::vector<std::uint64_t>> sizes_of_rows(communicator& ranks, char const* call,
                                                      F const& mine) {
  auto sizes = numbers_of_ranks(ranks, [&] {
    row_layout const rows = mine();
    std::vector<std::uint64_t> all(std::size_t(rows.count));
    for (std::uint64_t r = 0; r < rows.count; ++r) all[std::size_t(r)] = rows.size(r);
    return all;
  });
  for (std::size_t r = 1; r < sizes.size(); ++r)
    if (sizes[r].size() != sizes[0].size())
      throw error(std::string(call) + ": in has " + std::to_string(sizes[r].size()) +
                  " rows on rank " + std::to_string(r) + ", and on rank 0 " +
                  std::to_string(sizes[0].size()));
  return sizes;
}

// A row whose elements are `step` apart, by way of all that is between them.
template <class Where, class T>
void copy_row(Where const& where, T const* first, std::int64_t step, std::span<T> to) {
  if (step == 1 || to.size() < 2) return copy_here(where, first, to);
  auto const reach = std::int64_t(to.size() - 1) * step;
  auto all = std::vector<one<T>>(std::size_t(reach < 0 ? -reach : reach) + 1);
  copy_here(where, first + std::min<std::int64_t>(reach, 0),
            std::span(first_of_ones(all), all.size()));
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = all[std::size_t(std::int64_t(i) * step - std::min<std::int64_t>(reach, 0))].value;
}

// require() throws what else is wrong on a rank.
template <class Where, class T, class F>
rows_of_ranks<T> bring_rows(communicator& ranks, Where const& where, char const* call,
                            rows<T const> const& in, F const& require) {
  rows_of_ranks<T> found{cores_of(where), in, {}, {}};
  found.sizes = sizes_of_rows(ranks, call, [&]() -> row_layout {
    require_rows(call, "in", in);
    if constexpr (std::is_same_v<Where, cpu>) require_lengths(call, in);
    require();
    if constexpr (!std::is_same_v<Where, cpu>) {
      auto const layout = bring_layout(where, in);
      for (std::uint64_t r = 0; r < in.count; ++r)
        copy_row(where, in.data + layout.rows.begin(r), in.step,
                 found.memory.add(layout.rows.size(r)));
      found.mine = found.memory.all();
    }
    return found.mine;
  });
  return found;
}

}  // namespace tally::detail
