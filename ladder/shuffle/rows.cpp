// SPDX-License-Identifier: Apache-2.0
#include "ladder/shuffle/rows.hpp"

#include <algorithm>
#include <cstdint>

#include "ladder/judge.hpp"

namespace ladder::shuffle {
namespace {

std::size_t out_bytes(row_rung const& what, problem const& p) {
  auto const rows = (p.n + row_length - 1) / row_length;
  auto const count = what.gives == row_rung::total ? rows : p.n;
  return count * (p.type == element::int32 ? sizeof(std::int64_t) : sizeof(float));
}

// What the output should be, computed one element after the other.
template <class T, class State>
std::vector<State> expected(row_rung const& what, elements<T> const& in) {
  std::vector<State> all;
  for (std::size_t first = 0; first < in.size(); first += row_length) {
    auto const last = std::min<std::size_t>(first + row_length, in.size());
    State sum = 0;
    for (auto i = first; i < last; ++i) {
      sum += State(in[i]);
      if (what.gives == row_rung::prefix_sums) all.push_back(sum);
    }
    if (what.gives == row_rung::total) all.push_back(sum);
    if (what.gives == row_rung::total_everywhere) all.insert(all.end(), last - first, sum);
  }
  return all;
}

template <class T, class State, class Shown>
judgement judge(row_rung const& what, outcome const& run) {
  elements<State> const out(run.out);
  auto const right = expected<T, State>(what, elements<T>(run.in));
  for (std::size_t i = 0; i < right.size(); ++i)
    if (out[i] != right[i])
      return {.why = "output " + std::to_string(i) + ": " + unlike(Shown(right[i]), Shown(out[i]))};
  return {.right = true};
}

}  // namespace

rung rung_of(row_rung const& what) {
  auto const bytes_out = [=](problem const& p) { return out_bytes(what, p); };
  return {
      .id = what.id,
      .title = what.title,
      .bound = "memory: five exchanges a load are hidden behind it",
      .page = what.page,
      .block = threads_a_block,
      .fixed_shape = true,
      .thread_an_element = true,
      .operations = {operation::sum},
      .elements = {element::int32, element::float32},
      .out_bytes = bytes_out,
      .must_move = [=](problem const& p) { return p.n * 4 + bytes_out(p); },
      .enqueue =
          [=](problem const& p) {
            if (p.n) (p.type == element::int32 ? what.of_int32 : what.of_float32)(p);
          },
      .judge =
          [=](outcome const& run) {
            return run.given.type == element::int32
                       ? judge<std::int32_t, std::int64_t, long long>(what, run)
                       : judge<float, float, double>(what, run);
          },
  };
}

}  // namespace ladder::shuffle
