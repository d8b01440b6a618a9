// SPDX-License-Identifier: Apache-2.0
//
// A rank's slice of an array as cores see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tally/cpu/elements.hpp"
#include "tally/gpu/context.hpp"
#include "tally/nodes/all_gather.hpp"
#include "tally/payload.hpp"

namespace tally::detail {

template <class T>
struct slice_here {
  cpu cores;
  std::span<T const> elements;
  std::vector<one<T>> memory;  // where they are, unless the caller has them
};

// The gpu that holds a slice for `where`, or -1.
template <class Where, class R>
int gpu_of_slice(Where const&, R const& in) {
  if constexpr (std::is_same_v<Where, cpu> || input<R>)
    return -1;
  else if constexpr (std::is_same_v<Where, automatic>)
    return in.size() == 0 ? -1 : gpu_holding(in.data());
  else
    return 0;
}
template <class Where>
cpu cores_of(Where const& where) {
  if constexpr (std::is_same_v<Where, cpu>)
    return where;
  else if constexpr (std::is_same_v<Where, automatic>)
    return where.use_cpu();
  else
    return {};
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
  if constexpr (!input<R>)
    if (std::is_same_v<Where, cpu> ||
        (std::is_same_v<Where, automatic> && gpu_of_slice(where, in) < 0))
      return slice_here<element_of<R>>{cores_of(where), span_of_slice(call, in), {}};
  return std::nullopt;
}

// The same of any slice: what is not there is computed or copied.
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
  } else if constexpr (!std::is_same_v<Where, cpu>) {
    auto const all = span_of_slice(call, in);
    found.memory.resize(all.size());
    with_gpu_of(where, in, [&](auto const& there) {
      entered_gpu const entered(there.context());
      entered->receive(std::as_writable_bytes(std::span(found.memory)), all.data());
    });
  }
  found.elements = {found.memory.empty() ? nullptr : &found.memory.data()->value,
                    found.memory.size()};
  return found;
}
template <class Where, class R, class F>
void with_gpu_of(Where const& where, R const& in, F const& f) {
  if constexpr (std::is_same_v<Where, automatic>)
    f(where.use_gpu(gpu_of_slice(where, in)));
  else
    f(where);
}

}  // namespace tally::detail
