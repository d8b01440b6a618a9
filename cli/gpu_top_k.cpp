// SPDX-License-Identifier: Apache-2.0
#include "gpu_top_k.hpp"

#include "gpu_call.hpp"

namespace tally::cli {
namespace {

// Whether there is memory for the elements, the best of them, and what sorts these, or all to find
// different ones: two arrays of them with their indices. Blocks tell each other little beside that.
bool fits(gpu const& there, std::uint64_t count, std::uint64_t k, dtype type, bool distinct) {
  auto const size = size_of(type), pair = size + sizeof(std::int64_t);
  auto const bytes =
      count * size + std::min(k, count) * pair + 2 * (distinct ? count : std::min(k, count)) * pair;
  return bytes + bytes / 16 <= there.free_bytes();
}

}  // namespace

std::optional<selection> select_on_gpu(input& in, arguments const& options) {
  gpu_call call(options);
  auto const expected = in.count().value_or(0);
  if (!fits(call.there(), expected, k_of(options, expected), in.type(), options.distinct))
    return std::nullopt;
  auto const x = call.copy_of(in, options.json);
  auto const best = top_k(call.there(), x, k_of(options, x.size), top_k_options_of(options));
  return selection{x.type, all_of(best), call.nan_count(), call.ran()};
}

}  // namespace tally::cli
