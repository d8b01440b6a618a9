// SPDX-License-Identifier: Apache-2.0
#include "gpu_top_k.hpp"

#include "tally/gpu/copy.hpp"

namespace tally::cli {
namespace {

// Whether there is memory for the elements, the best of them, and what sorts these: two arrays of
// them with their indices. Blocks tell each other little beside that.
bool fits(gpu const& there, std::uint64_t count, std::uint64_t k, dtype type) {
  auto const size = size_of(type);
  auto const bytes = count * size + 3 * std::min(k, count) * (size + sizeof(std::int64_t));
  return bytes + bytes / 16 <= there.free_bytes();
}

}  // namespace

std::optional<selection> select_on_gpu(input& in, arguments const& options) {
  if (options.distinct) throw error("--device gpu: not on a GPU yet: --distinct");
  gpu there{.device = *options.gpu};
  auto const expected = in.count().value_or(0);
  if (!fits(there, expected, k_of(options, expected), in.type())) return std::nullopt;
  gpu_copy copy(there, std::size_t(expected * size_of(in.type())));
  std::uint64_t nan_count = 0;
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    copy.append(chunk);
    if (options.json) nan_count += count_nan(options.where, array_of(in.type(), chunk));
  }
  auto const x = array_of(in.type(), copy.as<std::byte>());
  auto const k = k_of(options, x.size);
  return selection{top_k(there, x, k, top_k_options_of(options)), k, nan_count,
                   "gpu:" + std::to_string(there.index())};
}

}  // namespace tally::cli
