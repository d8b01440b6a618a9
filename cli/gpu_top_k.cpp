// SPDX-License-Identifier: Apache-2.0
#include "gpu_top_k.hpp"

#include "tally/gpu/copy.hpp"

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
  gpu there{.device = *options.gpu};
  auto const expected = in.count().value_or(0);
  if (!fits(there, expected, k_of(options, expected), in.type(), options.distinct))
    return std::nullopt;
  gpu_copy copy(there, std::size_t(expected * size_of(in.type())));
  std::uint64_t nan_count = 0;
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    copy.append(chunk);
    if (options.json) nan_count += count_nan(options.where, array_of(in.type(), chunk));
  }
  auto const x = array_of(in.type(), copy.as<std::byte>());
  auto const k = k_of(options, x.size);
  return selection{x.type, all_of(top_k(there, x, k, top_k_options_of(options))), nan_count,
                   "gpu:" + std::to_string(there.index())};
}

}  // namespace tally::cli
