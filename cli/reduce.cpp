// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "gpu_reduction.hpp"
#include "input.hpp"
#include "reduction.hpp"
#include "report.hpp"
#include "state.hpp"

namespace tally::cli {

namespace {

void run_on_cpu(input& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto total = make_reduction(settings, options.first_index.value_or(0));
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next())
    total.add(options.where, array_of(in.type(), chunk));
  auto const result = answer_of(settings, total, in.name());
  if (options.save_state)
    save_state(*options.save_state, settings, options.first_index.has_value(), total);
  print(options, facts_of(in, total.nan_count()), result, watch);
}

// Whether it did.
bool run_on_gpu(input& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto const done = reduce_on_gpu(in, options, settings);
  if (!done) return false;
  auto about = facts_of(in, done->nan_count);
  about.device = done->device;
  print(options, about, done->found, watch);
  return true;
}

}  // namespace

void run_reduction(arguments const& options) {
  bool const leaves_out = command_named(options.command)->options & leaves_nan_out;
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    reduction_settings const settings{.command = options.command,
                                      .type = in.type(),
                                      .ddof = options.ddof,
                                      .skip_nan = options.skip_nan || leaves_out,
                                      .out_type = options.out_type};
    if (options.gpu && run_on_gpu(in, options, settings, watch)) return;
    run_on_cpu(in, options, settings, watch);
  });
}

}  // namespace tally::cli
