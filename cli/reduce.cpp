// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "decimal.hpp"
#include "every_type.hpp"
#include "gpu_reduction.hpp"
#include "input.hpp"
#include "integer_sum.hpp"
#include "ranks.hpp"
#include "reduction.hpp"
#include "report.hpp"
#include "rows.hpp"
#include "state.hpp"
#include "table.hpp"
#include "tally/error.hpp"

namespace tally::cli {

namespace {

// A state is of one type of elements: what is told as an exact integer must not be saved rounded.
[[noreturn]] void fail_to_save(input const& in) {
  throw error("--save-state: no state has all of the integers of " + told_name(in.name()) +
              ", float64 would round those beyond 2^53; --dtype float64 saves what is rounded");
}

void run_on_cpu(input& in, arguments const& options, stopwatch const& watch) {
  bool const is_typed = in.settled();  // or text, whose type shows at its end
  bool const adds = options.command->options & adds_integers && !is_typed;
  bool const wraps = adds && is_wrapped(options.out_type);
  // Integers are added up beside what float64 makes of them.
  auto const settings_for = [&](dtype type) {
    auto settings = reduction_settings_of(options, type);
    if (wraps && is_floating(type)) settings.out_type.reset();
    return settings;
  };
  auto const make = [&](dtype type) {
    return reduction(settings_for(type), options.first_index.value_or(0) + in.first());
  };
  every_type<reduction> all(in.types(), make);
  std::optional<integer_sum> integers;
  if (adds && (!options.out_type || wraps)) integers.emplace();
  for (auto chunk = in.next(); !chunk.empty(); chunk = in.next()) {
    masked_array const x{array_of(in.type(), chunk), in.missing()};
    all.add(x, in.negative_zeros(),
            [&](reduction& total, masked_array const& y) { total.add(options.where, y); });
    if (integers && in.facts().decimals > 0) integers.reset();
    if (integers) integers->add(x.all);
  }
  auto& total = all.run();
  total.gather(options, settings_for(all.type()));
  auto const bytes_read = sum_of_ranks(options, in.bytes_read());
  if (!is_first(options)) return;
  if (wraps && !integers) aggregate_of(reduction_settings_of(options, all.type()));  // which throws
  auto const settings = settings_for(all.type());
  auto about = facts_of(in, total.nan_count());
  about.bytes_read = bytes_read;
  about.type = all.type();
  auto result = answer_of(settings, total, in.name());
  if (options.save_state && !is_typed && is_floating(all.type()) && about.text.decimals == 0)
    fail_to_save(in);
  if (integers && is_floating(all.type()) && (about.text.missing == 0 || settings.skip_nan)) {
    integers->put(result, about.text, wraps ? options.out_type : std::nullopt);
    if (result.names.empty()) about.text.rounded = false, about.text.beyond = 0;
  }
  result.rounded &= !is_typed || about.text.rounded;
  if (options.save_state) save_state(options, settings, total);
  print(options, about, result, watch);
}

// Whether it did.
bool run_on_gpu(input& in, arguments const& options, reduction_settings const& settings,
                stopwatch const& watch) {
  auto const done = reduce_on_gpu(in, options, settings);
  if (!done) return false;
  auto about = facts_of(in, done->total.nan_count());
  about.ran = done->ran;
  auto found = answer_of(settings, done->total, in.name());
  found.rounded &= in.is_text() || about.text.rounded;
  if (options.save_state) save_state(options, settings, done->total);
  print(options, about, found, watch);
  return true;
}

}  // namespace

void run_reduction(arguments const& options) {
  if (asks_for_rows(options)) return reduce_rows(options);
  if (options.decimal) return run_decimal(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    bool const all = options.command->options & leaves_nan_out;
    auto found = identify(files, options);
    if (all && asks_for_all_columns(found, options))
      return reduce_columns(files, std::move(found), options);
    input in(files, std::move(found), options);
    if (!options.gpus.empty()) {
      in.settle();
      if (!in.may_have_gaps() &&
          run_on_gpu(in, options, reduction_settings_of(options, in.type()), watch))
        return;
    }
    run_on_cpu(in, options, watch);
  });
}

}  // namespace tally::cli
