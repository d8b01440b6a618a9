// SPDX-License-Identifier: Apache-2.0
#include "gpu_reduction.hpp"

#include "tally/gpu/copy.hpp"

namespace tally::cli {
std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings) {
  auto const op = aggregate_of(settings);
  if (has_all_digits(settings))
    throw error("--device gpu: not on a GPU yet: " + std::string(settings.command->name) + " of " +
                std::string(name(in.type())) + "; --out-dtype " +
                std::string(name(op.results().value().type)) + " gives it modulo 2^64");
  gpu there{.device = *options.gpu};
  auto const size = size_of(in.type()), bytes = std::size_t(in.count().value_or(0) * size);
  if (bytes > there.free_bytes()) return std::nullopt;
  bool const counts_nan = options.json || settings.skip_nan;
  gpu_copy copy(there, bytes);
  std::uint64_t nan = 0;
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    copy.append(chunk);
    if (counts_nan) nan += count_nan(options.where, array_of(in.type(), chunk));
  }
  any_array const x = array_of(in.type(), copy.as<std::byte>());
  bool const nothing = x.size == (settings.skip_nan ? nan : 0) && !op.answers_nothing();
  reduce_options const how{.nan = settings.nan()};
  auto const run = [&](bound_aggregate const& what) { return reduce(there, x, what, how); };
  return gpu_reduction{nothing ? answer_of_nothing(settings, in.name(), x.size)
                               : answer_of(settings, run(op), run, x.size, nan),
                       counts_nan ? std::optional(nan) : std::nullopt,
                       "gpu:" + std::to_string(there.index())};
}

}  // namespace tally::cli
