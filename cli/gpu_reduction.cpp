// SPDX-License-Identifier: Apache-2.0
#include "gpu_reduction.hpp"

#include "gpu_call.hpp"

namespace tally::cli {

std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings) {
  auto const op = aggregate_of(settings);
  if (has_all_digits(settings))
    throw error("--device gpu: not on a GPU yet: " + std::string(settings.command->name) + " of " +
                std::string(name(in.type())) + "; --out-dtype " +
                std::string(name(op.results().value().type)) + " gives it modulo 2^64");
  gpu_call call(options);
  if (in.count().value_or(0) * size_of(in.type()) > call.there().free_bytes()) return std::nullopt;
  bool const counts_nan = options.json || settings.skip_nan;
  auto const x = call.copy_of(in, counts_nan);
  auto const nan = call.nan_count();
  bool const nothing = x.size == (settings.skip_nan ? nan : 0) && !op.answers_nothing();
  reduce_options const how{.nan = settings.nan()};
  auto const run = [&](bound_aggregate const& what) { return reduce(call.there(), x, what, how); };
  auto const found = nothing ? answer_of_nothing(settings, in.name(), x.size)
                             : answer_of(settings, run(op), run, x.size, nan);
  return gpu_reduction{found, counts_nan ? std::optional(nan) : std::nullopt, call.ran()};
}

}  // namespace tally::cli
