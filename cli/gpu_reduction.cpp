// SPDX-License-Identifier: Apache-2.0
#include "gpu_reduction.hpp"

#include "gpu_chunks.hpp"

namespace tally::cli {

std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings) {
  auto const op = aggregate_of(settings);
  if (has_all_digits(settings))
    throw error("--device gpu: not on a GPU yet: " + std::string(settings.command->name) + " of " +
                std::string(name(in.type())) + "; --out-dtype " +
                std::string(name(op.results().value().type)) + " gives it modulo 2^64");
  auto const first = options.first_index.value_or(0);
  reduction total(settings, first);
  gpu_chunks chunks(options, {.elements = {size_of(in.type())}, .first = first},
                    [&](gpu_chunk& chunk) {
                      reduction part(settings, chunk.first());
                      part.add(any_where(chunk.there()), array_of(in.type(), chunk));
                      chunk.in_turn([&] { total.append(part); });
                    });
  if (!chunks.has_memory()) return std::nullopt;
  chunks.take(in);
  return gpu_reduction{std::move(total), chunks.ran()};
}

}  // namespace tally::cli
