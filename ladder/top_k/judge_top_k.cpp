// SPDX-License-Identifier: Apache-2.0
#include "ladder/top_k/judge_top_k.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ladder/judge.hpp"

namespace ladder::top_k {

namespace {

// The indices of the best, in their order.
std::vector<std::uint32_t> best_of(outcome const& run) {
  elements<std::int32_t> const in(run.in);
  auto const better = [&](std::uint32_t a, std::uint32_t b) {
    return run.given.op == operation::minimum ? in[a] < in[b] : in[a] > in[b];
  };
  auto const before = [&](std::uint32_t a, std::uint32_t b) {
    return better(a, b) || (!better(b, a) && a < b);
  };
  std::vector<std::uint32_t> at(in.size());
  std::iota(at.begin(), at.end(), 0u);
  if (run.given.distinct) {
    std::ranges::stable_sort(at, better);
    auto const same = [&](std::uint32_t a, std::uint32_t b) { return in[a] == in[b]; };
    at.erase(std::unique(at.begin(), at.end(), same), at.end());
  }
  auto const count = std::min(run.given.k, at.size());
  std::partial_sort(at.begin(), at.begin() + std::ptrdiff_t(count), at.end(), before);
  at.resize(count);
  return at;
}

}  // namespace

std::size_t out_bytes(form const& gives, problem const& p) {
  return 8 + p.k * 4 * (gives.indices ? 2 : 1);
}

judgement judge_top_k(form const& gives, outcome const& run) {
  elements<std::int32_t> const in(run.in), values(run.out.subspan(8));
  auto const best = best_of(run);
  auto const count = elements<std::uint64_t>(run.out.first(8))[0];
  if (count != best.size())
    return {.why = "how many: " + unlike((long long)best.size(), (long long)count)};
  for (std::size_t i = 0; i < run.given.k; ++i) {
    bool const there = i < count;
    auto const value = there ? in[best[i]] : 0, index = there ? std::int32_t(best[i]) : -1;
    if (values[i] != value)
      return {.why =
                  fmt::format("value {}: {}", i, unlike((long long)value, (long long)values[i]))};
    auto const found = gives.indices ? values[run.given.k + i] : index;
    if (found != index)
      return {.why = fmt::format("index {}: {}", i, unlike((long long)index, (long long)found))};
  }
  return {.right = true};
}

}  // namespace ladder::top_k
