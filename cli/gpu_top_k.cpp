// SPDX-License-Identifier: Apache-2.0
#include "gpu_top_k.hpp"

#include <atomic>

#include "gpu_chunks.hpp"

namespace tally::cli {

std::optional<selection> select_on_gpu(input& in, arguments const& options) {
  auto const type = in.type();
  auto const how = top_k_options_of(options);
  // What a chunk's best can take, all of it at most: these, and two arrays that are sorted.
  auto const beside = 3 * (size_of(type) + sizeof(std::int64_t));
  std::optional<any_selector> best;
  std::uint64_t k = 0;
  std::atomic<std::uint64_t> nan_count = 0;
  gpu_chunks chunks(options, {.elements = {size_of(type)}, .beside = beside},
                    [&](gpu_chunk& chunk) {
                      auto const x = array_of(type, chunk);
                      if (options.json) nan_count += count_nan(chunk.there(), x);
                      any_selector part(type, k, how, chunk.first());
                      part.add(chunk.there(), x);
                      chunk.in_turn([&] { best->append(std::move(part)); });
                    });
  if (!chunks.has_memory()) return std::nullopt;
  bool const is_kept = !in.count();  // its end tells how many there are
  auto const runs = is_kept ? in.whole() : std::vector<std::span<std::byte const>>();
  k = k_of(options, in.count().value());
  best.emplace(type, k, how);
  for (auto const& run : runs) chunks.add({run});
  is_kept ? chunks.finish() : chunks.take(in);
  return selection{type, all_of(std::move(*best).result()), nan_count, chunks.ran()};
}

}  // namespace tally::cli
