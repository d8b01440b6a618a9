// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"

#include "commands.hpp"
#include "reduction.hpp"
#include "report.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

void check(arguments const& options) {
  std::string with;
  if (options.type) with = "--dtype";
  if (options.raw) with = "--raw";
  if (options.out_type) with = "--out-dtype";
  if (options.save_state) with = "--save-state";
  if (options.first_index) with = "--first-index";
  if (options.gpu) with = "--device gpu";
  if (!with.empty())
    throw usage_error("--decimal: cannot be with " + with + ", the answer is in decimal");
}

// Whether the command divides by how many there are: its answer for integers is no integer then.
bool is_mean(arguments const& options) {
  reduction_settings const settings{
      .command = options.command, .type = dtype::int64, .out_type = std::nullopt};
  return is_floating(aggregate_of(settings).results().value().type);
}

io::decimal_total total_of(std::vector<std::string> const& files, arguments const& options) {
  io::decimal_total all;
  for (auto const& file : files) {
    auto const one = io::sum_decimals(file, open_options_of(options));
    all.sum.add(one.sum);
    all.count += one.count;
    all.missing += one.missing;
    all.bytes_read += one.bytes_read;
  }
  return all;
}

std::string text_of(io::decimal_total const& total, std::vector<std::string> const& files,
                    arguments const& options) {
  if (total.missing > 0 && !options.skip_nan) return "nan";
  if (!is_mean(options)) return total.sum.text();
  auto const count = total.count - total.missing;
  if (count == 0)
    throw error(options.command + ": " + files.front() + " is empty" +
                (total.missing ? " without what is missing" : ""));
  return total.sum.mean(count);
}

}  // namespace

void run_decimal(arguments const& options) {
  check(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    auto const total = total_of(files, options);
    auto const text = text_of(total, files, options);
    answer const found{.lines = {text},
                       .keys = {{"value", text}, {"bits", json()}, {"result_dtype", "decimal"}}};
    facts about{.inputs = files,
                .type = dtype::float64,
                .shape = {total.count},
                .count = total.count,
                .nan_count = total.missing,
                .bytes_read = total.bytes_read};
    about.text.missing = total.missing;
    about.type_name = "decimal";
    print(options, about, found, watch);
  });
}

}  // namespace tally::cli
