// SPDX-License-Identifier: Apache-2.0
#include "quantile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "commands.hpp"
#include "decimal.hpp"
#include "option_values.hpp"
#include "ranks.hpp"
#include "rounding.hpp"
#include "rows.hpp"
#include "tally/dynamic_distributed.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

bool is_nan(any_number const& value) { return count_nan(cpu{1}, {value.type, &value.bits, 1}) > 0; }

// Those of all ranks' slices, if they share the array out.
std::vector<any_number> quantiles(arguments const& options, any_array const& x,
                                  std::span<fraction const> places) {
  auto const how = quantile_options_of(options);
  if (!options.ranks) return quantile(options.where, x, places, how);
  return on_all_ranks(options,
                      [&] { return quantile(*options.ranks, options.where, x, places, how); });
}

quantiles_found quantiles_on_cpu(input& in, arguments const& options) {
  auto x = array_of(in.type(), in.side_by_side());
  auto const missing = in.all_missing().count;
  quantiles_found found{.values = {}, .nan_count = missing};
  bool const spoilt = missing > 0 && !options.skip_nan;
  std::uint64_t const zero = 0;
  if (spoilt) x = any_array(in.type(), &zero, 1);  // its quantiles have the type that all have
  auto const n = options.ranks ? in.count().value() : x.size;
  if (n == 0) return found;
  auto const places = places_of(options);
  auto const values = quantiles(options, x, places);
  // Another read counts NaNs, where a value does not tell that there is none.
  if (std::ranges::any_of(values, is_nan) || (options.skip_nan && options.json))
    found.nan_count += sum_of_ranks(options, count_nan(options.where, x));
  if (options.skip_nan && found.nan_count == n + missing) return found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const value = values[i];
    found.values.push_back(spoilt ? number::missing(value.type) : number(value));
    if (in.is_text() && !spoilt) found.rounded |= is_rounded_at(places[i], options, x, value);
  }
  return found;
}

quantiles_found run(input& in, arguments const& options) {
  if (!options.gpus.empty() && !in.may_have_gaps())
    if (auto const done = quantiles_on_gpu(in, options)) return *done;
  return quantiles_on_cpu(in, options);
}

answer answer_of(arguments const& options, std::vector<number> const& values) {
  answer a;
  json all = json::array(), bits = json::array();
  for (auto const& x : values) {
    a.lines.push_back(x.text());
    all.push_back(x.to_json()), bits.push_back(x.bits());
  }
  a.keys = quantile_keys(options, std::move(all), std::move(bits));
  a.keys["result_dtype"] = values.front().type_name();
  return a;
}

// A number where that is what was written, else the text.
json as_given(place const& q) {
  double value = 0;
  auto const end = q.text.data() + q.text.size();
  if (std::from_chars(q.text.data(), end, value).ptr != end) return q.text;
  auto const told = places("-q", fmt::format("{}", value)).front();
  return told.value == q.value ? json(value) : json(q.text);
}

}  // namespace

bool is_rounded_at(fraction place, arguments const& options, any_array const& x,
                   any_number const& value) {
  if (is_floating(x.type) || !is_large(value)) return false;
  auto const element = [&](interpolation method) {
    io::decimal_sum found;
    found.add(number(quantile(options.where, x, std::span(&place, 1), {method}).front()).text());
    return found;
  };
  bool const linear = options.method == "linear";
  auto const whole = linear ? place.denominator : 2;
  auto const part = linear ? std::uint64_t(static_cast<unsigned __int128>(x.size - 1) *
                                           place.numerator % place.denominator)
                           : 1;
  auto low = element(interpolation::lower), high = element(interpolation::higher);
  low.multiply(whole - part), high.multiply(part);
  low.add(high);
  return is_rounded(value, low, whole);
}

json quantile_keys(arguments const& options, json values, json bits) {
  if (!(options.command->options & takes_quantiles))
    return {{"value", values.front()}, {"bits", bits.front()}};
  json places = json::array();
  for (auto const& place : options.places) places.push_back(as_given(place));
  if (places.empty()) places.push_back(0.5);
  return {{"q", std::move(places)},
          {"method", options.method},
          {"values", std::move(values)},
          {"bits", std::move(bits)}};
}

std::vector<fraction> places_of(arguments const& options) {
  if (options.places.empty()) return {{1, 2}};
  std::vector<fraction> all;
  for (auto const& place : options.places) all.push_back(place.value);
  return all;
}

quantile_options quantile_options_of(arguments const& options) {
  static constexpr std::string_view names[] = {"linear", "lower", "higher", "nearest", "midpoint"};
  auto const at = std::find(std::begin(names), std::end(names), options.method);
  return {interpolation(at - std::begin(names)), options.nan()};
}

void run_quantile(arguments const& options) {
  if (asks_for_rows(options)) return quantiles_of_rows(options);
  if (options.decimal) return run_decimal_quantile(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    in.settle();
    auto const found = run(in, options);
    auto const bytes_read = sum_of_ranks(options, in.bytes_read());
    if (!is_first(options)) return;
    if (found.values.empty()) throw empty_array(*options.command, in.name(), found.nan_count);
    auto about = facts_of(in, found.nan_count);
    about.bytes_read = bytes_read;
    about.ran = found.ran;
    auto told = answer_of(options, found.values);
    told.rounded = found.rounded;
    print(options, about, told, watch);
  });
}

}  // namespace tally::cli
