// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"

#include <map>

#include "commands.hpp"
#include "decimal_description.hpp"
#include "reduction.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

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
    if (all.row_name.empty()) all.row_name = one.row_name;
  }
  return all;
}

std::string text_of(io::decimal_total const& total, std::vector<std::string> const& files,
                    arguments const& options) {
  if (total.missing > 0 && !options.skip_nan) return "nan";
  if (!is_mean(options)) return total.sum.text();
  auto const count = total.count - total.missing;
  if (count == 0) throw empty_array(*options.command, files.front(), total.count);
  return total.sum.quotient(count);
}

void run_sum(std::vector<std::string> const& files, arguments const& options) {
  stopwatch const watch;
  auto const total = total_of(files, options);
  auto about = facts_of_decimals(files);
  about.count = total.count, about.shape = {total.count};
  about.text.missing = total.missing, about.nan_count = total.missing;
  about.text.row_name = total.row_name;
  about.bytes_read = total.bytes_read;
  print(options, about, decimal_answer(text_of(total, files, options)), watch);
}

// What the command's aggregate makes of the least and the greatest; all are nan where one is
// missing.
answer range_of(std::string_view aggregate, decimal_extreme const& least,
                decimal_extreme const& greatest, bool is_nan) {
  auto range = greatest.value(), low = least.value();
  low.negate(), range.add(low);
  std::map<std::string_view, std::string> const all = {{"minimum", least.value().text()},
                                                       {"maximum", greatest.value().text()},
                                                       {"peak_to_peak", range.text()}};
  auto const text = [&](std::string_view name) { return is_nan ? "nan" : all.at(name); };
  auto const results = any_aggregate(aggregate).on(dtype::int64).results();
  if (results.size() == 1) return decimal_answer(text(aggregate));
  answer a;
  for (auto const& result : results) {
    a.names.push_back(result.name), a.lines.push_back(text(result.name));
    a.keys[result.name] = a.lines.back();
  }
  return a;
}

// min, max, argmin, argmax, min-max, peak-to-peak.
void run_extreme(std::vector<std::string> const& files, arguments const& options) {
  stopwatch const watch;
  auto const& command = *options.command;
  decimal_extreme least(false), greatest(true);
  std::optional<std::uint64_t> missing;
  auto const about = read_decimals(files, options, [&](auto const& x, auto i, auto index) {
    if (!x.is_missing(i))
      least.add(x, i, index), greatest.add(x, i, index);
    else if (!missing)
      missing = index;
  });
  bool const is_nan = missing && !options.skip_nan;
  if (!is_nan && least.is_empty()) throw empty_array(*options.command, files.front(), about.count);
  auto const& best = command.aggregate.ends_with("maximum") ? greatest : least;
  auto const index = is_nan ? *missing : best.index();
  if (command.aggregate.starts_with("arg"))
    return print(options, about, answer_with(number(any_number(std::int64_t(index)))), watch);
  auto found = range_of(command.aggregate, least, greatest, is_nan);
  if (!command.index.empty()) found.keys["index"] = index;
  print(options, about, found, watch);
}

// The product: digits are multiplied as integers, and their places added up.
void run_product(std::vector<std::string> const& files, arguments const& options) {
  stopwatch const watch;
  integer_product product;
  std::int64_t places = 0;
  auto const about = read_decimals(files, options, [&](auto const& x, auto i, auto) {
    if (x.is_missing(i)) return;
    auto const one = x.parts(i);
    product.multiply(one.negative, one.digits);
    places += one.places;
  });
  auto const digits = product.text();
  io::decimal_sum in_full;
  if (in_full.add(digits + "e" + std::to_string(-places)) != io::parsed::number)
    throw error(std::string(options.command->name) +
                ": the product has more digits than are shown: " +
                std::to_string(integer_product::most_digits));
  bool const is_nan = about.text.missing > 0 && !options.skip_nan;
  print(options, about, decimal_answer(is_nan ? "nan" : in_full.text()), watch);
}

}  // namespace

void require_decimal(arguments const& options) {
  std::string with;
  if (options.type) with = "--dtype";
  if (options.raw) with = "--raw";
  if (options.out_type) with = "--out-dtype";
  if (options.save_state) with = "--save-state";
  if (options.first_index) with = "--first-index";
  if (!options.gpus.empty()) with = "--device gpu";
  if (!with.empty())
    throw usage_error("--decimal: cannot be with " + with + ", the answer is in decimal");
}

facts facts_of_decimals(std::vector<std::string> const& files) {
  facts about{.inputs = files,
              .type = dtype::float64,
              .shape = {0},
              .count = 0,
              .nan_count = 0,
              .bytes_read = 0};
  about.type_name = "decimal";
  return about;
}

answer decimal_answer(std::string const& text) {
  return {.lines = {text},
          .keys = {{"value", text}, {"bits", json()}, {"result_dtype", "decimal"}}};
}

void run_decimal(arguments const& options) {
  require_decimal(options);
  auto const& command = *options.command;
  for_each_array(options, [&](std::vector<std::string> const& files) {
    if (command.options & adds_decimals) return run_sum(files, options);
    if (command.options & leaves_nan_out) return run_decimal_description(files, options);
    if (command.options & multiplies_integers) return run_product(files, options);
    if (command.options & squares) return run_decimal_moment(files, options);
    run_extreme(files, options);
  });
}

}  // namespace tally::cli
