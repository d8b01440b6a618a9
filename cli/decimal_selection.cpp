// SPDX-License-Identifier: Apache-2.0
//
// quantile, median and top-k with --decimal. All numbers are kept in memory.
#include <algorithm>
#include <numeric>

#include "decimal.hpp"
#include "quantile.hpp"
#include "top_k.hpp"

namespace tally::cli {
namespace {

// The k best of all numbers, in their order: what is missing is larger than any.
class decimal_ranking {
 public:
  decimal_ranking(io::decimals const& all, arguments const& options)
      : all_(all), options_(options) {}

  std::vector<std::uint64_t> best() const {
    std::vector<std::uint64_t> found(all_.size());
    std::iota(found.begin(), found.end(), std::uint64_t(0));
    if (options_.skip_nan) std::erase_if(found, [&](auto i) { return all_.is_missing(i); });
    auto const before = [&](auto i, auto j) {
      int const order = compare(i, j);
      return order != 0 ? order < 0 : i < j;
    };
    if (options_.distinct) {
      std::ranges::sort(found, before);
      auto const equal = [&](auto i, auto j) { return compare(i, j) == 0; };
      found.erase(std::unique(found.begin(), found.end(), equal), found.end());
    }
    auto const k = k_of(options_, found.size());
    std::ranges::partial_sort(found, found.begin() + std::ptrdiff_t(k), before);
    found.resize(k);
    if (options_.unsorted) std::ranges::sort(found);
    return found;
  }

 private:
  io::decimals const& all_;
  arguments const& options_;

  // Less than 0 where i is the better one.
  int compare(std::uint64_t i, std::uint64_t j) const {
    int const up = all_.is_missing(i) || all_.is_missing(j)
                       ? int(all_.is_missing(i)) - int(all_.is_missing(j))
                       : io::decimals::compare(all_, i, all_, j);
    return options_.smallest ? up : -up;
  }
};

}  // namespace

void run_decimal_quantile(arguments const& options) {
  require_decimal(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    io::decimals all;
    auto const about = read_decimals(files, options, [&](auto const& x, auto i, auto) {
      if (!x.is_missing(i)) all.append(x, i);
    });
    bool const is_nan = about.text.missing > 0 && !options.skip_nan;
    if (all.size() == 0 && !is_nan) throw empty_array(*options.command, files.front(), about.count);
    answer found;
    for (auto const place : places_of(options))
      found.lines.push_back(is_nan ? "nan"
                                   : all.quantile(place, quantile_options_of(options).method));
    found.keys = quantile_keys(options, found.lines, json(std::vector<json>(found.lines.size())));
    found.keys["result_dtype"] = "decimal";
    print(options, about, found, watch);
  });
}

void run_decimal_top_k(arguments const& options) {
  require_decimal(options);
  for_each_array(options, [&](std::vector<std::string> const& files) {
    stopwatch const watch;
    io::decimals all;
    auto const about =
        read_decimals(files, options, [&](auto const& x, auto i, auto) { all.append(x, i); });
    auto const best = decimal_ranking(all, options).best();
    answer found;
    json values = json::array();
    for (auto const i : best) {
      auto const text = all.is_missing(i) ? "nan" : all.value(i).text();
      values.push_back(text);
      if (!options.json) found.lines.push_back(std::to_string(i) + "\t" + text);
    }
    if (options.json) found.keys = top_k_keys(options, std::move(values), best);
    print(options, about, found, watch);
  });
}

}  // namespace tally::cli
