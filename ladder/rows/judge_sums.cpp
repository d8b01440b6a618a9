// SPDX-License-Identifier: Apache-2.0
#include "ladder/rows/judge_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ladder/data.hpp"
#include "ladder/judge.hpp"

namespace ladder::rows {

judgement judge_sums(outcome const& run, std::function<summands(std::size_t i)> const& of) {
  std::size_t const each = size_of(run.given.type);
  std::size_t const result = result_bytes(run.given.op, run.given.type);
  judgement all{.right = true};
  std::vector<std::byte> in;
  for (std::size_t i = 0; i < run.out.size() / result; ++i) {
    summands const x = of(i);
    in.resize(x.count * each);
    for (std::size_t k = 0; k < x.count; ++k)
      std::ranges::copy(run.in.subspan((x.begin + k * x.step) * each, each), &in[k * each]);
    auto const seen =
        judge_reduction({run.given, run.kind, in, run.out.subspan(i * result, result)});
    all.error = std::max(all.error, seen.error);
    if (all.right && !seen.right) all.why = fmt::format("sum {}: {}", i, seen.why);
    all.right = all.right && seen.right;
  }
  return all;
}

}  // namespace ladder::rows
