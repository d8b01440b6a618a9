// SPDX-License-Identifier: Apache-2.0
#include "quantile.hpp"

#include <algorithm>
#include <string_view>

#include "commands.hpp"
#include "report.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

quantiles_found quantiles_on_cpu(input& in, arguments const& options) {
  auto const x = array_of(in.type(), in.side_by_side());
  quantiles_found found{.values = {}, .nan_count = count_nan(options.where, x)};
  if (x.size > (options.skip_nan ? found.nan_count : 0))
    found.values = quantile(options.where, x, places_of(options), quantile_options_of(options));
  return found;
}

quantiles_found run(input& in, arguments const& options) {
  if (options.gpu)
    if (auto const done = quantiles_on_gpu(in, options)) return *done;
  return quantiles_on_cpu(in, options);
}

bool is_median(arguments const& options) {
  return !(command_named(options.command)->options & takes_quantiles);
}

answer answer_of(arguments const& options, std::vector<any_number> const& values) {
  answer a;
  json all = json::array(), bits = json::array();
  for (auto const& value : values) {
    number const x(value);
    a.lines.push_back(x.text());
    all.push_back(x.to_json()), bits.push_back(x.hexadecimal());
  }
  a.keys["result_dtype"] = name(values.front().type);
  if (is_median(options)) {
    a.keys["value"] = all.front(), a.keys["bits"] = bits.front();
    return a;
  }
  a.keys["q"] = places_of(options);
  a.keys["method"] = options.method;
  a.keys["values"] = std::move(all), a.keys["bits"] = std::move(bits);
  return a;
}

}  // namespace

std::vector<double> places_of(arguments const& options) {
  return options.places.empty() ? std::vector<double>{0.5} : options.places;
}

quantile_options quantile_options_of(arguments const& options) {
  static constexpr std::string_view names[] = {"linear", "lower", "higher", "nearest", "midpoint"};
  auto const at = std::find(std::begin(names), std::end(names), options.method);
  return {interpolation(at - std::begin(names)), options.nan()};
}

void run_quantile(arguments const& options) {
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    input in(files, options);
    in.settle();
    auto const found = run(in, options);
    if (found.values.empty()) throw empty_array(options.command, in.name(), found.nan_count);
    auto about = facts_of(in, found.nan_count);
    about.device = found.device;
    print(options, about, answer_of(options, found.values), watch);
  });
}

}  // namespace tally::cli
